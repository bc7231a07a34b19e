package dev.gossamer.gnn.historical;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowGather;
import java.util.Arrays;

/// The features of halo vertices, the rows of layer 0. They never change, so each is fetched once,
/// before the first batch, and has no age. MB treats them like embeddings and sends them with each
/// batch.
final class HaloFeatures implements AutoCloseable {
  private final int[] vertices;
  private final FetchedRows kept = new FetchedRows();
  private final FetchedRows loaded = new FetchedRows();
  private final FeatureSource rows;
  private final long sentBytes;

  /// Fetches the rows from their owners. Collective.
  ///
  /// @param all features of all vertices; borrowed here
  /// @param vertices ascending; not copied
  HaloFeatures(FeatureSource all, int[] vertices, Workers workers) {
    this.vertices = vertices;
    long before = all.counts().bytes();
    all.fetch(vertices, kept, workers);
    sentBytes = all.counts().bytes() - before;
    rows = FeatureSource.whole(kept.features());
  }

  /// Returns the bytes received.
  long sentBytes() {
    return sentBytes;
  }

  /// Returns the row of a vertex; negative if there is none. Cost: `O(log rows)`.
  int find(int vertex) {
    return Arrays.binarySearch(vertices, vertex);
  }

  /// Copies dense rows.
  ///
  /// @param to a row for each of them, overwritten
  void load(int[] at, DenseMatrix to, Workers workers) {
    if (kept.features() instanceof Features.Dense dense) {
      RowGather.gather(dense.x(), at, to, workers);
    }
  }

  /// Returns copies of sparse rows, valid until the next call.
  CsrMatrix load(int[] at, Workers workers) {
    rows.fetch(at, loaded, workers);
    if (loaded.features() instanceof Features.Sparse sparse) {
      return sparse.x();
    }
    throw new IllegalStateException("features: expected sparse rows, found " + loaded.features());
  }

  @Override
  public void close() {
    kept.close();
    loaded.close();
  }
}
