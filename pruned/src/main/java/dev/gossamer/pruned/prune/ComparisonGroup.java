package dev.gossamer.pruned.prune;

/// Which elements of a matrix are compared with one another when each matrix is to lose the same
/// share of its elements.
public enum ComparisonGroup {
  /// All of them.
  MATRIX,
  /// Those of a row, as of a token in an embedding: every row loses the same share.
  ROW,
  /// Those of a column, as of a class in the layer of logits: every column loses the same share.
  COLUMN
}
