package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.Beginning;
import dev.gossamer.pruned.pipeline.GridPlan;
import dev.gossamer.pruned.pipeline.GridPlan.Demand;
import dev.gossamer.pruned.pipeline.PipelineTraining;
import dev.gossamer.pruned.pipeline.PruningChoice;
import dev.gossamer.pruned.pipeline.RankGrid;
import dev.gossamer.pruned.pipeline.SmallerGrid;
import dev.gossamer.pruned.pipeline.StateSettings;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A run with all defaults resolved: settings for a network of known sizes.
///
/// @param settings of the run
/// @param architecture of the network
/// @param grids that the network can be trained on
/// @param pruning when the network is pruned, and by what
/// @param sparsities of the network, one after the other
/// @param corpus memory that the data take
record PrunedJob(
    PrunedSettings settings,
    DenseArchitecture architecture,
    GridPlan grids,
    PruningChoice pruning,
    List<Double> sparsities,
    CorpusMemory corpus) {
  /// Tolerance between the sparsity of a mask and the requested sparsity: one element of a million.
  private static final double ROUNDING = 1e-6;

  PrunedJob {
    sparsities = List.copyOf(sparsities);
  }

  /// @param resumed folder of the run that is continued; null for a new run
  /// @throws InvalidSettingException if settings do not fit each other
  static PrunedJob of(
      PrunedSettings settings,
      DenseArchitecture architecture,
      CorpusMemory corpus,
      @Nullable Path resumed) {
    StateSettings state =
        new StateSettings(
            settings.storage(),
            settings.optimizer().rule(isText(architecture)),
            settings.pruning().leavesBlocks(),
            settings.iterations().keepsBest());
    LayerNetwork network = architecture.network(settings.seed());
    PruningChoice pruning =
        settings.pruning().over(settings.iterations().iterations(), network, settings.storage());
    return new PrunedJob(
        settings,
        architecture,
        new GridPlan(network, state, settings.batches(), settings.seed()),
        pruning,
        sparsities(pruning, network, resumed),
        corpus);
  }

  private static boolean isText(DenseArchitecture architecture) {
    return architecture instanceof DenseArchitecture.Text;
  }

  /// Those of the choice; for a resumed run, from that point on.
  private static List<Double> sparsities(
      PruningChoice pruning, LayerNetwork network, @Nullable Path resumed) {
    double before = resumed == null ? 0 : Beginning.sparsity(network, RunFolder.openBegun(resumed));
    List<Double> all = pruning.sparsities();
    if (before == 0) {
      return all;
    }
    List<Double> left = new ArrayList<>(List.of(before));
    all.stream().filter(each -> each > before + ROUNDING).forEach(left::add);
    return left;
  }

  /// Returns the strategy to plan, on any grid.
  PlannedWay way() {
    return new PlannedWay(grids, pruning, sparsities, settings.machine(), corpus);
  }

  /// Returns the memory demand of a rank of this machine.
  Demand demand() {
    int ranks = settings.ranks().launch().ranksOfProcess();
    return new Demand(
        pruning, sparsities, threads(), settings.machine().takenOfRank(corpus, ranks));
  }

  /// Returns the threads of a rank of this machine.
  int threads() {
    return settings.machine().threadsOfRank(settings.ranks().launch());
  }

  /// Returns the maximum bytes of a rank of this machine.
  long limit() {
    return settings.machine().memoryOfRank(settings.ranks().launch());
  }

  /// Returns iterations, learning rate, and the choice of the grid after pruning.
  PipelineTraining.Settings training() {
    return new PipelineTraining.Settings(
        settings.iterations(),
        settings.optimizer().schedule(isText(architecture), settings.iterations().iterations()),
        settings.hasAutomaticStages()
            ? new SmallerGrid(grids, threads(), limit() - demand().process().held())
            : null);
  }

  /// Returns the grid of stages and replicas.
  ///
  /// @param demand memory of a rank
  /// @param limit its maximum bytes
  RankGrid grid(Demand demand, long limit) {
    int ranks = settings.ranks().launch().ranks();
    int stages = settings.stages();
    grids.requireTravelling(settings.hasAutomaticStages() ? ranks : stages);
    if (settings.hasAutomaticStages()) {
      return grids.fewestStages(ranks, demand, limit);
    }
    if (ranks % stages != 0) {
      throw new InvalidSettingException(
          "{stages}: expected a divisor of %d ranks, found %d".formatted(ranks, stages));
    }
    return new RankGrid(stages, ranks / stages);
  }
}
