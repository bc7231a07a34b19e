package dev.gossamer.nn.layers;

/// One of the matrix products of a layer in a training step, from which plans compute the time of a
/// step.
public sealed interface LayerProduct {
  /// Which rows a dense product goes over.
  enum Rows {
    /// One for each source.
    SOURCES,
    /// One for each target.
    TARGETS
  }

  /// A dense product of `2 rows in out` operations: `H W` or `T W^T`, or the gradient `H^T S`.
  ///
  /// @param rows that it goes over
  /// @param in columns of what is multiplied
  /// @param out columns of the weights
  /// @param ofInput whether one operand is the layer's own input `H`, which may be sparse in a
  ///   first layer
  /// @param gradient whether it is `H^T S`, the gradient of the weights
  record Dense(Rows rows, int in, int out, boolean ofInput, boolean gradient)
      implements LayerProduct {}

  /// `Â H` forwards, `Â^T T` backwards.
  ///
  /// @param width columns of what is aggregated
  /// @param backward whether it is the transpose
  record Aggregated(int width, boolean backward) implements LayerProduct {}

  /// Attention over the edges: forwards scores, softmax and a weighted sum of the sources;
  /// backwards the gradient of each edge's weight, and from both that of each source: three passes
  /// over the edges that read a row of `K D` for each.
  ///
  /// @param heads `K`
  /// @param width `K D`, columns that are gathered from other ranks forwards, and whose gradients
  ///   return backwards
  record Attended(int heads, int width) implements LayerProduct {}
}
