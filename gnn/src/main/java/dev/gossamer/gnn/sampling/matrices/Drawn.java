package dev.gossamer.gnn.sampling.matrices;

import org.jspecify.annotations.Nullable;

/// `Q^{l-1}` of one batch: what SAMPLE gives. For a node-wise sampler one row for each destination,
/// else one row.
public final class Drawn {
  private final int[] starts;
  private final int[] vertices;
  private final float @Nullable [] weights;

  /// @param starts first entry of each row, and the number of entries
  /// @param vertices drawn, ascending in each row
  /// @param weights inverse of the probability that a vertex is drawn, or null if a mean is taken
  public Drawn(int[] starts, int[] vertices, float @Nullable [] weights) {
    this.starts = starts;
    this.vertices = vertices;
    this.weights = weights;
  }

  public int[] starts() {
    return starts;
  }

  public int[] vertices() {
    return vertices;
  }

  public float weight(int entry) {
    return weights == null ? 1f : weights[entry];
  }
}
