package dev.gossamer.nn.layers;

/// The order of a graph layer's products, in the forward and backward pass.
public enum Order {
  /// `Â (H W)`: cheaper when the layer narrows, and the order for sparse input.
  TRANSFORM_FIRST,
  /// `(Â H) W`: cheaper when the layer widens. The backward pass aggregates `T`, so that `Â H` need
  /// not be kept.
  AGGREGATE_FIRST,
  /// `(Â H) W` with `Â H` kept for the backward pass, whose dense products then have a row for each
  /// target instead of one for each source: cheaper for sampled blocks, which have many more
  /// sources.
  AGGREGATE_AND_KEEP,
  /// `H W`: a plain dense layer, for an input that is already aggregated or a network that ignores
  /// the graph.
  TRANSFORM_ONLY;

  /// {@return the cheaper order for an SpMM and a matmul of these widths (MG, section 4.4)}
  ///
  /// @param in width of the input
  /// @param out width of the output
  public static Order cheapest(int in, int out) {
    return in < out ? AGGREGATE_FIRST : TRANSFORM_FIRST;
  }
}
