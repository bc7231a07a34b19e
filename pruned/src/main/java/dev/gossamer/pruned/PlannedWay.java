package dev.gossamer.pruned;

import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.PlannedRun.Compute;
import dev.gossamer.pruned.PlannedRun.Iterations;
import dev.gossamer.pruned.PlannedRun.StateBytes;
import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.GridPlan;
import dev.gossamer.pruned.pipeline.GridPlan.Demand;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.IterationTraffic;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import dev.gossamer.pruned.pipeline.Pruner;
import dev.gossamer.pruned.pipeline.PruningChoice;
import dev.gossamer.pruned.pipeline.RankGrid;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.PruningQuota;
import java.util.List;

/// A strategy for pruning and computation, on any grid.
///
/// @param grids that the network can be trained on
/// @param pruning of the run
/// @param sparsities of the network, one after the other
/// @param machine limits on its resources, and the memory of a process besides its ranks
/// @param corpus memory of the data
record PlannedWay(
    GridPlan grids,
    PruningChoice pruning,
    List<Double> sparsities,
    PrunedMachineSettings machine,
    CorpusMemory corpus) {
  PlannedWay {
    sparsities = List.copyOf(sparsities);
    Pruner.requirePossible(pruning, grids.stages(new RankGrid(1, 1)).getFirst());
  }

  private LayerNetwork network() {
    return grids.network();
  }

  /// Returns how the network is pruned and multiplied.
  Compute compute() {
    if (sparsities.getLast() == 0) {
      return Compute.DENSE;
    }
    if (pruning.removesUnits()) {
      return Compute.SMALLER;
    }
    PruningQuota quota = PruningQuota.of(network().layout(), sparsities.getLast());
    List<ParameterLayout.Entry> matrices = network().layout().where(Mask::prunable).entries();
    long sparse =
        matrices.stream()
            .filter(matrix ->
                grids.state().isSparse(matrix, matrix.count() - quota.removed(matrix.name())))
            .count();
    return sparse == 0
        ? Compute.COMPRESSED
        : sparse == matrices.size() ? Compute.SPARSE : Compute.MIXED;
  }

  /// Settings on each grid of a place that a run would not refuse.
  List<PipelineSettings> settings(RankPlace place) {
    BatchSettings batches = grids.batches();
    boolean travels = grids.state().storage().activations() != null;
    return grids.grids(place.ranks()).stream()
        .filter(each -> each.grid().inter() > 1 || !travels)
        .filter(each -> batches.inFlight() == null || batches.inFlight() >= each.grid().inter())
        .toList();
  }

  /// Returns the memory demand of a rank of a placement.
  Demand demand(RankPlace place) {
    return demand(place, sparsities);
  }

  private Demand demand(RankPlace place, List<Double> of) {
    return new Demand(
        pruning, of, place.threads(), machine.takenOfRank(corpus, place.ranksOfProcess()));
  }

  /// The seconds of an iteration at the end of the run, on one grid of a place.
  IterationForecast seconds(RankGrid grid, RankPlace place) {
    return iterations(grids.stages(grid), sparsities.getLast(), place).seconds();
  }

  /// The run on one grid of a place.
  PlannedRun on(RankGrid grid, RankPlace place) {
    List<StagePart> stages = grids.stages(grid);
    Demand last = demand(place, List.of(sparsities.getLast()));
    GridPlan again =
        new GridPlan(
            network(),
            grids.state(),
            grids.batches().withCheckpointActivations(true),
            grids.seed());
    return new PlannedRun(
        compute(),
        place,
        stages,
        new StateBytes(
            grids.state().denseBytes(network().parameters()),
            pruning.stateBytes(network(), grids.state())),
        iterations(stages, sparsities.getFirst(), place),
        iterations(stages, sparsities.getLast(), place),
        GridPlan.largest(stages, demand(place)).bytes(),
        GridPlan.largest(again.stages(grid), last).bytes(StagePart.ACTIVATIONS),
        sparsities.getLast() == 0
            || (pruning.criterion() == Criterion.PER_LAYER && !pruning.isGiven()));
  }

  private Iterations iterations(List<StagePart> stages, double sparsity, RankPlace place) {
    StagePart left = stages.getFirst().without(pruning, sparsity);
    boolean smaller = !left.equals(stages.getFirst());
    List<StagePart> parts =
        smaller ? StagePart.all(left.network(), left.settings(), left.stateSettings()) : stages;
    double pruned = smaller ? 0 : sparsity;
    return new Iterations(
        GridPlan.largest(stages, demand(place, List.of(sparsity))),
        IterationForecast.of(parts, pruned, place.speed()),
        IterationTraffic.of(parts, pruned));
  }
}
