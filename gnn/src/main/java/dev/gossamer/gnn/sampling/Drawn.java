package dev.gossamer.gnn.sampling;

import org.jspecify.annotations.Nullable;

/// `Q^{l-1}` of one batch, the result of SAMPLE. One row per destination for a node-wise sampler,
/// otherwise one row.
final class Drawn {
  private final int[] starts;
  private final int[] vertices;
  private final float @Nullable [] weights;

  /// @param starts first entry of each row, and the number of entries
  /// @param vertices drawn, ascending in each row
  /// @param weights inverse of the probability that a vertex is drawn, or null if a mean is taken
  Drawn(int[] starts, int[] vertices, float @Nullable [] weights) {
    this.starts = starts;
    this.vertices = vertices;
    this.weights = weights;
  }

  int[] starts() {
    return starts;
  }

  int[] vertices() {
    return vertices;
  }

  float weight(int entry) {
    return weights == null ? 1f : weights[entry];
  }
}
