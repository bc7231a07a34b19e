package dev.gossamer.gnn.sampling.blocks;

import java.lang.foreign.Arena;

/// Blocks of one layer for evaluation, layer by layer, in small row blocks: rows of `Â`, or samples
/// of them. One block at a time.
public sealed interface Neighbourhoods permits WholeNeighbourhoods, SampledNeighbourhoods {
  /// {@return the rows of some vertices} Collective if the graph is distributed.
  ///
  /// @param arena shared, owner of the block
  /// @param l number of the layer, from 0
  /// @param vertices distinct; empty if other ranks have more
  SampledBlock block(Arena arena, int l, int[] vertices);
}
