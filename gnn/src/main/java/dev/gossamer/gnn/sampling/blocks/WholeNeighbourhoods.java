package dev.gossamer.gnn.sampling.blocks;

import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import java.lang.foreign.Arena;

/// Blocks of one layer with all neighbours of some vertices and the weights of `Â`, for evaluation
/// in small row blocks. One block at a time.
public final class WholeNeighbourhoods implements Neighbourhoods {
  private final AdjacencyRows a;
  private final BlockMaker maker;

  /// Creates blocks of a graph.
  ///
  /// @param a `Â`; borrowed
  public WholeNeighbourhoods(AdjacencyRows a) {
    this.a = a;
    maker = new BlockMaker(a.vertices());
  }

  /// {@return the rows of some vertices} Collective if the graph is distributed.
  ///
  /// @param arena shared, owner of the block
  /// @param vertices distinct; empty if other ranks have more
  public SampledBlock block(Arena arena, int[] vertices) {
    return maker.allColumns(arena, a.select(arena, vertices), vertices);
  }

  @Override
  public SampledBlock block(Arena arena, int l, int[] vertices) {
    return block(arena, vertices);
  }

  /// {@return bytes that an instance keeps between blocks}
  ///
  /// @param n vertices of the graph
  /// @param entries of the largest block
  /// @param weighted whether they have values
  public static long bytes(int n, long entries, boolean weighted) {
    return Relabelling.bytes(n) + n / 8 + BlockMaker.bytes(entries, weighted);
  }
}
