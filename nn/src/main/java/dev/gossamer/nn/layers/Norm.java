package dev.gossamer.nn.layers;

import org.jspecify.annotations.Nullable;

/// The normalisation of the result of a hidden layer, before its activation.
public enum Norm {
  /// None.
  NONE,
  /// That of each row to mean 0 and variance 1 ([dev.gossamer.matrix.dense.LayerNormalisation]).
  LAYER,
  /// That of each column, over the rows of a batch or of the whole graph, to mean 0 and variance 1
  /// ([dev.gossamer.matrix.dense.BatchNormalisation]); in evaluation by running statistics.
  BATCH;

  /// Returns the normalisation of a layer; null if there is none.
  ///
  /// @param name prefix of its parameters: `layers.0.norm`
  /// @param width columns that are normalised
  @Nullable Normaliser normaliser(String name, int width) {
    return switch (this) {
      case NONE -> null;
      case LAYER -> new RowNormaliser(name, width);
      case BATCH -> new BatchNormaliser(name, width);
    };
  }
}
