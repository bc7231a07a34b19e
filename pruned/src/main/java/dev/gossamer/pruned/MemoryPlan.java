package dev.gossamer.pruned;

import dev.gossamer.comm.Link;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.Grid;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.IterationForecast.Speed;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.pipeline.StateSettings;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// What a run would take of memory and time on each grid of its ranks, with all parameters and
/// pruned.
///
/// @param data what is learnt from, in one line; null if no data are open, and sizes are those of
///   the network's publication
/// @param network that is planned for
/// @param state how its parameters are kept
/// @param sparsity share of the parameters that is pruned
/// @param prunedStateBytes bytes of the state of the survivors
/// @param rank what a rank has
/// @param grids the fewest stages first
public record MemoryPlan(
    @Nullable String data,
    LayerNetwork network,
    StateSettings state,
    double sparsity,
    long prunedStateBytes,
    Rank rank,
    List<OnGrid> grids) {
  /// What a rank has.
  ///
  /// @param limit bytes that it may take
  /// @param threads that it computes with
  /// @param link to other ranks; null if none is imitated
  public record Rank(long limit, int threads, @Nullable Link link) {}

  /// The run on one grid.
  ///
  /// @param stages of the network
  /// @param prunedStages of what is left of the network, if units of it are removed
  /// @param dense memory of the rank that needs most, before pruning
  /// @param pruned memory of the rank that needs most, once pruned
  /// @param peakBytes of the rank that needs most, over the whole run: when a network is pruned,
  ///   both states are in memory
  /// @param checkpointedBytes of activations in the same rank, if they were computed again
  public record OnGrid(
      List<StagePart> stages,
      List<StagePart> prunedStages,
      MemoryEstimate dense,
      MemoryEstimate pruned,
      long peakBytes,
      long checkpointedBytes) {
    /// Copies the collections.
    public OnGrid {
      stages = List.copyOf(stages);
      prunedStages = List.copyOf(prunedStages);
    }

    /// {@return how an iteration is divided}
    public PipelineSettings settings() {
      return stages.getFirst().settings();
    }

    /// {@return stages and replicas}
    public Grid grid() {
      return settings().grid();
    }

    /// {@return bytes of the rank that needs most, before pruning}
    public long denseBytes() {
      return dense.bytes();
    }

    /// {@return bytes of the rank that needs most, once pruned}
    public long prunedBytes() {
      return pruned.bytes();
    }

    /// {@return bytes of activations in flight, of the rank that needs most once pruned}
    public long activationBytes() {
      return pruned.bytes(StagePart.ACTIVATIONS);
    }

    /// {@return whether activations are more than half of what a pruned network takes, and could be
    /// computed again instead}
    public boolean isMostlyActivations() {
      return 2 * activationBytes() > prunedBytes() && checkpointedBytes < activationBytes();
    }
  }

  /// Copies the collections.
  public MemoryPlan {
    grids = List.copyOf(grids);
  }

  /// {@return bytes of the state of all parameters (SAMO, section III-D)}
  public long denseStateBytes() {
    return state.denseBytes(network.parameters());
  }

  /// {@return the seconds of an iteration before pruning}
  ///
  /// @param on one of the grids
  /// @param speed of ranks
  public IterationForecast dense(OnGrid on, Speed speed) {
    return IterationForecast.of(on.stages(), 0, speed);
  }

  /// {@return the seconds of an iteration once pruned}
  ///
  /// @param on one of the grids
  /// @param speed of ranks
  public IterationForecast pruned(OnGrid on, Speed speed) {
    boolean smaller = !on.prunedStages().equals(on.stages());
    return IterationForecast.of(on.prunedStages(), smaller ? 0 : sparsity, speed);
  }

  /// {@return the grid on which the whole run fits, and an iteration of the pruned network takes
  /// least; of equal ones that of the fewest stages; null if it fits on none}
  ///
  /// @param speed of ranks
  public @Nullable OnGrid recommended(Speed speed) {
    return fastest(speed, OnGrid::peakBytes);
  }

  /// {@return the grid on which the pruned network fits and an iteration takes least; null if it
  /// fits on none}
  ///
  /// @param speed of ranks
  public @Nullable OnGrid oncePruned(Speed speed) {
    return fastest(speed, OnGrid::prunedBytes);
  }

  private @Nullable OnGrid fastest(Speed speed, ToLongFunction<OnGrid> bytes) {
    return grids.stream()
        .filter(each -> bytes.applyAsLong(each) <= rank.limit())
        .min(Comparator.comparingDouble(each -> pruned(each, speed).seconds()))
        .orElse(null);
  }
}
