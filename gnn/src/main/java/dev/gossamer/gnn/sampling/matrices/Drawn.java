package dev.gossamer.gnn.sampling.matrices;

import org.jspecify.annotations.Nullable;

/// `Q^{l-1}` of one batch: what SAMPLE gives. For a node-wise sampler one row for each destination,
/// else one row.
public final class Drawn {
  private final int[] starts;
  private final int[] vertices;
  private final float @Nullable [] weights;

  /// Creates what was drawn.
  ///
  /// @param starts first entry of each row, and the number of entries
  /// @param vertices drawn, ascending in each row
  /// @param weights inverse of the probability that a vertex is drawn, or null if a mean is taken
  public Drawn(int[] starts, int[] vertices, float @Nullable [] weights) {
    this.starts = starts;
    this.vertices = vertices;
    this.weights = weights;
  }

  /// {@return first entry of each row, and the number of entries}
  public int[] starts() {
    return starts;
  }

  /// {@return what was drawn, ascending in each row}
  public int[] vertices() {
    return vertices;
  }

  /// {@return weight of an entry; 1 if a mean is taken}
  ///
  /// @param entry 0-based, over all rows
  public float weight(int entry) {
    return weights == null ? 1f : weights[entry];
  }
}
