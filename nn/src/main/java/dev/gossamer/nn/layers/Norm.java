package dev.gossamer.nn.layers;

/// The normalisation of the result of a hidden layer, before its activation.
public enum Norm {
  /// None.
  NONE,
  /// That of each row to mean 0 and variance 1 ([dev.gossamer.matrix.dense.LayerNormalisation]).
  LAYER
}
