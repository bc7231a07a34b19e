package dev.gossamer.nn.layers;

/// The requested part of a backward pass.
public enum Backward {
  /// None, for evaluation.
  NONE,
  /// Gradients of the parameters, as in the first layer.
  PARAMETERS,
  /// Gradients of the parameters and of the input.
  INPUT
}
