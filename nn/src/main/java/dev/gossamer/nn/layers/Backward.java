package dev.gossamer.nn.layers;

/// What is asked for behind a forward pass.
public enum Backward {
  /// Nothing: an evaluation.
  NONE,
  /// Gradients of the parameters, as in the first layer.
  PARAMETERS,
  /// Gradients of the parameters and of the input.
  INPUT
}
