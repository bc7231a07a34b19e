package dev.gossamer.gnn.sampling.blocks;

import java.lang.foreign.Arena;

/// Blocks of one layer: rows of `Â`, or what stands for them. What evaluation goes over layer by
/// layer, a few rows at a time. One block at a time.
public sealed interface Neighbourhoods permits WholeNeighbourhoods, SampledNeighbourhoods {
  /// {@return the rows of some vertices} Collective if the graph is spread over ranks.
  ///
  /// @param arena shared, owner of the block
  /// @param l number of the layer, from 0
  /// @param vertices distinct; none if others have more
  SampledBlock block(Arena arena, int l, int[] vertices);
}
