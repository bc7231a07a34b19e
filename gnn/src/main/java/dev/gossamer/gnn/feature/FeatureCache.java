package dev.gossamer.gnn.feature;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.CsrRowFetch;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.run.memory.GrowingSegment;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A cache of the remote rows that batches will read most often (T. Kaler et al.,
/// *Communication-Efficient Graph Neural Networks with Probabilistic Neighborhood Expansion
/// Analysis and Caching*, MLSys 2023; called SALIENT++). Filled once. Dense rows keep the packed
/// format of messages, so that more rows fit in a format with fewer bits.
final class FeatureCache implements AutoCloseable {
  private final int[] vertices;
  private final MemorySegment packed;
  private final FetchedRows sparse;
  private final GrowingSegment memory;

  private FeatureCache(
      int[] vertices, MemorySegment packed, FetchedRows sparse, GrowingSegment memory) {
    this.vertices = vertices;
    this.packed = packed;
    this.sparse = sparse;
    this.memory = memory;
  }

  static FeatureCache empty() {
    return sparse(new int[0], new FetchedRows());
  }

  /// @param vertices ascending
  /// @param packed a packed row of each, in `memory`
  /// @param memory owned
  static FeatureCache dense(int[] vertices, MemorySegment packed, GrowingSegment memory) {
    return new FeatureCache(vertices, packed, new FetchedRows(), memory);
  }

  /// @param vertices ascending
  /// @param rows of each; owned
  static FeatureCache sparse(int[] vertices, FetchedRows rows) {
    return new FeatureCache(vertices, MemorySegment.NULL, rows, new GrowingSegment());
  }

  /// Chooses the rows to cache: remote rows by descending accesses per byte, as many as fit.
  /// Collective for sparse features, whose rows have different lengths.
  ///
  /// @param own this rank's block
  /// @param accesses expected number for each vertex; vertices without any are not cached
  /// @param wire of dense rows
  /// @param bytes maximum size of rows and their numbers
  /// @return ascending
  static int[] choose(
      Communicator column,
      RowDistribution distribution,
      Features own,
      RowFormat wire,
      double[] accesses,
      long bytes) {
    return choose(
        distribution.begin(column.rank()),
        distribution.end(column.rank()),
        rowBytes(column, distribution, own, wire),
        accesses,
        bytes);
  }

  /// Does the same if the sizes of all rows are known.
  ///
  /// @param begin first row of this rank's block
  /// @param end row after the last
  /// @param rowBytes size of each row in a cache
  static int[] choose(int begin, int end, long[] rowBytes, double[] accesses, long bytes) {
    long[] order = new long[accesses.length];
    int candidates = 0;
    for (int v = 0; v < order.length; v++) {
      boolean mine = v >= begin && v < end;
      if (!mine && accesses[v] > 0) {
        // Positive floats are ordered as their bits are; the complement puts the largest first.
        int key = ~Float.floatToIntBits((float) (accesses[v] / rowBytes[v]));
        order[candidates++] = (long) key << 32 | v;
      }
    }
    Arrays.sort(order, 0, candidates);
    int[] chosen = new int[candidates];
    int count = 0;
    long left = bytes;
    for (int k = 0; k < candidates; k++) {
      int v = (int) order[k];
      if (rowBytes[v] <= left) {
        left -= rowBytes[v];
        chosen[count++] = v;
      }
    }
    Arrays.sort(chosen, 0, count);
    return Arrays.copyOf(chosen, count);
  }

  /// Bytes that each row of all takes in a cache.
  private static long[] rowBytes(
      Communicator column, RowDistribution distribution, Features own, RowFormat wire) {
    if (own instanceof Features.Sparse sparse) {
      return rowBytes(sparse, CsrRowFetch.rowLengths(column, distribution, sparse.x()));
    }
    long[] bytes = new long[distribution.rows()];
    Arrays.fill(bytes, Integer.BYTES + wire.bytes(1, own.width()));
    return bytes;
  }

  /// Returns the sizes of sparse rows of these lengths, including their numbers.
  static long[] rowBytes(Features.Sparse x, int[] lengths) {
    long entry = FetchedRows.entryBytes(x.x());
    return Arrays.stream(lengths)
        .mapToLong(length -> Integer.BYTES + Long.BYTES + length * entry)
        .toArray();
  }

  /// Returns the cached vertices, ascending. Borrowed.
  int[] vertices() {
    return vertices;
  }

  /// Returns dense rows, packed, in the order of the vertices; empty if rows are sparse.
  MemorySegment packed() {
    return packed;
  }

  /// Returns sparse rows; [Features.None] if rows are dense.
  Features sparse() {
    return sparse.features();
  }

  @Override
  public void close() {
    sparse.close();
    memory.close();
  }
}
