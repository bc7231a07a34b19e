package dev.gossamer;

import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.Samplers;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Task;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.MemoryEstimate.Remedy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The memory of a training on minibatches with other settings: first those that do not change
/// results, then those that change the evaluation, then smaller batches, which change what is
/// learned.
final class LessMemory {
  private final TrainingJob job;
  private final MinibatchSettings asked;
  private final MinibatchPlan plan;
  private final Dividing dividing;

  /// A change, in words.
  private record Change(String words, UnaryOperator<MinibatchSettings> change) {}

  /// @param plan with the placement of the vertices
  /// @param asked settings that do not fit
  LessMemory(TrainingJob job, MinibatchPlan plan, MinibatchSettings asked) {
    this.job = job;
    this.plan = plan;
    this.asked = asked;
    dividing = Dividing.of(job, MinibatchWay.placement(job.ranks(), asked), job.ranks().blocks());
  }

  /// Plans a job that does not use minibatches yet, with consecutive vertices on each rank.
  static LessMemory of(TrainingJob job, MinibatchSettings asked) {
    MinibatchPlan plan =
        MinibatchPlan.of(job.data(), job.training(), job.ranks().size())
            .placed(Placement.block(job.data().vertices(), job.ranks().blocks()));
    return new LessMemory(job, plan, asked);
  }

  /// Settings with the batches of a step and the least bulk.
  private MemoryEstimate least(MinibatchSettings settings) {
    MinibatchSettings steps = settings.withStepBatches(settings.stepBatches(job.ranks().size()));
    MinibatchSettings drawn = steps.hasAutomaticBulk() ? steps.withBulk(1) : steps;
    int here = job.ranks().launch().ranksOfProcess();
    return dividing.in(plan.memory(drawn, job.threads(), here));
  }

  /// Returns the largest batch that fits, at most the given one; 0 if none does.
  int fittingBatch() {
    return MemoryEstimate.largestFitting(
        1, asked.batchSize(), job.limit(), size -> least(asked.withBatchSize(size)).needed());
  }

  /// Returns what can be tried: each change alone, then several together, then with smaller
  /// batches.
  ///
  /// @param before what must be set in addition, in words; may be empty
  Stream<Remedy> remedies(String before) {
    List<Change> changes = changes();
    List<Supplier<Optional<Remedy>>> tried = new ArrayList<>();
    if (!before.isEmpty()) {
      tried.add(() -> Optional.of(remedy(before, List.of())));
    }
    changes.forEach(each -> tried.add(() -> Optional.of(remedy(before, List.of(each)))));
    for (int count = 2; count <= changes.size(); count++) {
      List<Change> first = changes.subList(0, count);
      tried.add(() -> Optional.of(remedy(before, first)));
    }
    tried.add(() -> smallerBatches(before, List.of()));
    tried.add(() -> smallerBatches(before, changes));
    return tried.stream().map(Supplier::get).flatMap(Optional::stream);
  }

  private List<Change> changes() {
    HistoricalSettings kept = asked.historical();
    boolean dropsMisses = kept != null && kept.onMiss() == HistoricalSettings.OnMiss.DROP;
    List<Change> changes = new ArrayList<>();
    if (asked.bulk() > 1) {
      changes.add(new Change("{bulk} 1", settings -> settings.withBulk(1)));
    }
    if (job.ranks().blocks() > 1 && !asked.partitioned() && !dropsMisses) {
      changes.add(
          new Change(
              "{graph} partitioned", settings -> settings.withGraph(GraphPlace.PARTITIONED)));
    }
    if (asked.overlaps() && kept == null) {
      changes.add(new Change("{overlap} off", settings -> settings.withOverlap(Overlap.OFF)));
    }
    if (asked.testFanouts().isEmpty() && !dropsMisses && meansSuffice()) {
      int fanout = Samplers.DEFAULT_FANOUT;
      List<Integer> fanouts = Collections.nCopies(asked.sampler().layers(), fanout);
      changes.add(
          new Change("{testFanouts} " + fanout, settings -> settings.withTestFanouts(fanouts)));
    }
    return changes;
  }

  /// Whether means over some neighbours stand for what the network takes of all.
  private boolean meansSuffice() {
    NetworkSettings network = job.training().network();
    boolean weighed = network.kind().weighsEdges() && job.data().adjacency().values() != null;
    boolean ofEdges = job.data().task() == Task.LINKS;
    return !weighed
        && !ofEdges
        && ((network.seesEdges() && !network.kind().sight().sums())
            || network.normalisation() == Normalisation.ROW_MEAN);
  }

  private static MinibatchSettings with(List<Change> changes, MinibatchSettings settings) {
    MinibatchSettings changed = settings;
    for (Change each : changes) {
      changed = each.change().apply(changed);
    }
    return changed;
  }

  private static String words(String before, List<Change> changes) {
    return Stream.concat(
            Stream.of(before).filter(words -> !words.isEmpty()),
            changes.stream().map(Change::words))
        .collect(Collectors.joining(" "));
  }

  private Remedy remedy(String before, List<Change> changes) {
    return new Remedy(words(before, changes), least(with(changes, asked)));
  }

  private Optional<Remedy> smallerBatches(String before, List<Change> changes) {
    return Remedy.lower(
            job.limit(),
            "batchSize",
            asked.batchSize(),
            size -> least(with(changes, asked).withBatchSize(size)))
        .map(lower ->
            new Remedy((words(before, changes) + " " + lower.change()).strip(), lower.estimate()));
  }
}
