package dev.gossamer.pruned.prune;

/// The elements of a matrix that are compared with each other when each matrix loses the same
/// share.
public enum ComparisonGroup {
  /// All elements.
  MATRIX,
  /// The elements of a row, for example a token in an embedding: every row loses the same share.
  ROW,
  /// The elements of a column, for example a class in the logits layer: every column loses the same
  /// share.
  COLUMN
}
