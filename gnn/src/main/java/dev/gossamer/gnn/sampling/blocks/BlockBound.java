package dev.gossamer.gnn.sampling.blocks;

import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.matrix.CsrMatrix;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongBinaryOperator;

/// Upper bounds of the size of a sampled block. The memory of a network for a batch, and that of
/// sampling it, follow from these.
///
/// @param targets rows of the block
/// @param sources columns of the block
/// @param entries of its matrix
public record BlockBound(long targets, long sources, long entries) {
  /// Returns the blocks of a layer-by-layer sampler.
  ///
  /// @param degrees of `Â`
  /// @param batchSize training vertices of a batch
  /// @param sizes of the layers, from the batch outwards; no row of a block has more entries
  /// @param drawn maximum vertices that a layer draws, by its targets and its size
  /// @return in the order of a forward pass
  public static List<BlockBound> ofLayers(
      Degrees degrees, int batchSize, List<Integer> sizes, LongBinaryOperator drawn) {
    List<BlockBound> blocks = new ArrayList<>();
    long rows = Math.min(degrees.vertices(), batchSize);
    for (int size : sizes) {
      long sources = Math.min(degrees.vertices(), rows + drawn.applyAsLong(rows, size));
      blocks.addFirst(of(degrees, rows, sources, size));
      rows = sources;
    }
    return blocks;
  }

  /// {@return the blocks of a sampler that draws one subgraph for all layers}
  ///
  /// @param degrees of `Â`
  /// @param layers of the network
  /// @param visited drawn vertices, including repeated ones
  public static List<BlockBound> ofSubgraph(Degrees degrees, int layers, long visited) {
    long rows = Math.min(degrees.vertices(), visited);
    return Collections.nCopies(layers, of(degrees, rows, rows, rows));
  }

  /// {@return the blocks of an even share of a subgraph, which includes for each layer before the
  /// last the neighbours of its vertices in the subgraph}
  ///
  /// @param degrees of `Â`
  /// @param layers of the network
  /// @param visited vertices drawn for the subgraph, including repeated ones
  /// @param parts of the subgraph
  public static List<BlockBound> ofPart(Degrees degrees, int layers, long visited, int parts) {
    List<BlockBound> blocks = new ArrayList<>();
    long all = Math.min(degrees.vertices(), visited);
    long rows = Math.ceilDiv(all, parts);
    for (int l = 0; l < layers; l++) {
      BlockBound block = of(degrees, rows, all, all);
      rows = Math.min(all, rows + block.entries());
      blocks.addFirst(new BlockBound(block.targets(), rows, block.entries()));
    }
    return blocks;
  }

  private static BlockBound of(Degrees degrees, long targets, long sources, long perRow) {
    long entries = targets * Math.min(degrees.largest(), perRow);
    return new BlockBound(targets, sources, Math.min(entries, degrees.sumOfLargest(targets)));
  }

  /// {@return bytes of a block of means: row pointers, columns, the scale of each row, and the
  /// vertex of each source}
  public long bytes() {
    return CsrMatrix.bytes(targets, entries, false)
        + targets * Float.BYTES
        + sources * Integer.BYTES;
  }

  /// {@return bytes of a block whose entries and columns also have weights}
  public long weightedBytes() {
    return bytes() + entries * Float.BYTES + sources * Float.BYTES;
  }
}
