package dev.gossamer.feature;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.CsrRowFetch;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.graph.Features;
import java.util.Arrays;

/// Rows of other ranks that this rank keeps: those that its batches will want most often (T. Kaler
/// et al., *Communication-Efficient Graph Neural Networks with Probabilistic Neighborhood Expansion
/// Analysis and Caching*, MLSys 2023; called SALIENT++). Filled once.
final class FeatureCache implements AutoCloseable {
  private final int[] vertices;
  private final FetchedRows rows;

  /// @param vertices ascending
  /// @param rows of each; owned
  FeatureCache(int[] vertices, FetchedRows rows) {
    this.vertices = vertices;
    this.rows = rows;
  }

  static FeatureCache empty() {
    return new FeatureCache(new int[0], new FetchedRows());
  }

  /// The rows to keep: of those of other ranks the most accesses for their bytes first, as many as
  /// fit. Collective for sparse features, whose rows have different lengths.
  ///
  /// @param own this rank's block
  /// @param accesses expected, of each vertex; one without any is not kept
  /// @param bytes that rows and their numbers may take
  /// @return ascending
  static int[] choose(
      Communicator column,
      RowDistribution distribution,
      Features own,
      double[] accesses,
      long bytes) {
    long[] rowBytes = rowBytes(column, distribution, own);
    long[] order = new long[accesses.length];
    int candidates = 0;
    for (int v = 0; v < order.length; v++) {
      boolean mine = v >= distribution.begin(column.rank()) && v < distribution.end(column.rank());
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
  private static long[] rowBytes(Communicator column, RowDistribution distribution, Features own) {
    long[] bytes = new long[distribution.rows()];
    if (own instanceof Features.Sparse sparse) {
      int[] lengths = CsrRowFetch.rowLengths(column, distribution, sparse.x());
      long entry = FetchedRows.entryBytes(sparse.x());
      Arrays.setAll(bytes, v -> Integer.BYTES + Long.BYTES + lengths[v] * entry);
    } else {
      Arrays.fill(bytes, Integer.BYTES + (long) own.width() * Float.BYTES);
    }
    return bytes;
  }

  /// The vertices whose rows are here, ascending. Borrowed.
  int[] vertices() {
    return vertices;
  }

  /// The rows.
  Features features() {
    return rows.features();
  }

  @Override
  public void close() {
    rows.close();
  }
}
