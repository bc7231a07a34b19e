package dev.gossamer.run;

import dev.gossamer.nn.clock.Phase;
import dev.gossamer.run.Figures.Figure;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/// What an epoch cost the ranks that train together, without its evaluation.
///
/// @param own seconds by phase of this rank
/// @param phases seconds by phase, each the largest of all ranks, so that their sum may exceed the
///   epoch
/// @param bytes that all ranks sent
/// @param hitRate share of the rows of other ranks that were in a cache; not a number if no rank
///   looked for one
/// @param staleness mean age of the embeddings that were used, in batches; not a number if none was
public record EpochCosts(
    Map<Phase, Double> own,
    Map<Phase, Double> phases,
    double bytes,
    double hitRate,
    double staleness) {
  /// {@return seconds of this rank by the label of the phase}
  public Map<String, Double> ownByLabel() {
    Map<String, Double> seconds = new LinkedHashMap<>();
    own.forEach((phase, time) -> seconds.put(phase.label(), time));
    return seconds;
  }

  /// {@return the costs of a trainer's last epoch, if called right after it} Collective.
  ///
  /// @param trainer that has trained
  public static EpochCosts of(EpochTrainer trainer) {
    Map<Phase, Double> own = trainer.takePhases();
    CacheUse mine = trainer.cacheUse();
    Figures all = new Figures();
    Map<Phase, Figure> largest = new EnumMap<>(Phase.class);
    own.forEach((phase, seconds) -> largest.put(phase, all.largest(seconds)));
    Figure bytes = all.sum(trainer.sent().totalBytes());
    Figure found = all.sum(mine.found());
    Figure missed = all.sum(mine.missed());
    Figure embeddings = all.sum(mine.embeddings());
    Figure ages = all.sum(mine.ages());
    all.reduce(trainer.team());
    Map<Phase, Double> phases = new EnumMap<>(Phase.class);
    largest.forEach((phase, seconds) -> phases.put(phase, seconds.value()));
    return new EpochCosts(
        own,
        phases,
        bytes.value(),
        found.value() / (found.value() + missed.value()),
        ages.value() / embeddings.value());
  }
}
