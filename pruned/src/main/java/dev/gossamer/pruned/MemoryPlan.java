package dev.gossamer.pruned;

import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.Grid;
import dev.gossamer.pruned.pipeline.StateSettings;
import java.util.List;

/// What a network takes of memory on each grid of a number of ranks, with all parameters and
/// pruned.
///
/// @param network that is planned for
/// @param state how its parameters are kept
/// @param sparsity share of the parameters that is pruned
/// @param prunedStateBytes bytes of the state of the survivors
/// @param limit bytes that a rank may take
/// @param grids the fewest stages first
public record MemoryPlan(
    LayerNetwork network,
    StateSettings state,
    double sparsity,
    long prunedStateBytes,
    long limit,
    List<OnGrid> grids) {
  /// The memory on one grid.
  ///
  /// @param grid stages and replicas
  /// @param denseBytes of the rank that needs most, before pruning
  /// @param prunedBytes of the rank that needs most, once pruned
  public record OnGrid(Grid grid, long denseBytes, long prunedBytes) {}

  /// Copies the collections.
  public MemoryPlan {
    grids = List.copyOf(grids);
  }

  /// {@return bytes of the state of all parameters (SAMO, section III-D)}
  public long denseStateBytes() {
    return state.denseBytes(network.parameters());
  }
}
