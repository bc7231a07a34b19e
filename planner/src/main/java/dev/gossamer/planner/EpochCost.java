package dev.gossamer.planner;

import dev.gossamer.nn.clock.Phase;
import java.util.EnumMap;
import java.util.Map;

/// What an epoch costs.
///
/// @param steps optimizer steps
/// @param phases seconds of each phase, of the slowest rank
/// @param traffic what ranks send
/// @param count how far bytes and messages are those that a run counts
/// @param drawn share of the epoch's batches that was drawn to count them; 1 for a whole graph
public record EpochCost(
    int steps, Map<Phase, Double> phases, RankTraffic traffic, Count count, double drawn) {
  /// How far bytes and messages are those that a run counts.
  public enum Count {
    /// They are, to the byte: on a whole graph, and where all batches of an epoch were drawn.
    EXACT,
    /// Those of the batches that were drawn, for as many batches as an epoch has.
    DRAWN,
    /// An upper bound of what historical embeddings push, as if each copy were replaced whenever it
    /// could be, and nothing missed.
    AT_MOST
  }

  /// Copies the phases.
  public EpochCost {
    Map<Phase, Double> copy = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      copy.put(phase, phases.getOrDefault(phase, 0.0));
    }
    phases = Map.copyOf(copy);
  }

  /// {@return seconds of the epoch: the sum of its phases, of each of which the slowest rank
  /// counts}
  public double seconds() {
    return phases.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /// {@return seconds of a phase}
  ///
  /// @param phase any
  public double seconds(Phase phase) {
    return phases.getOrDefault(phase, 0.0);
  }
}
