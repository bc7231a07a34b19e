package dev.gossamer.sampling;

import dev.gossamer.matrix.CsrMatrix;

/// Where the rows of `Â` come from: all that samplers ask of the graph.
///
/// A graph that this rank holds whole answers without a copy (MBS, section 5.1); one that is spread
/// over ranks answers with rows that it has fetched from their owners (MBS, section 5.2). All
/// methods may be collective, so that all ranks call them in the same order.
public interface AdjacencyRows {
  /// The rows of a graph on this rank.
  ///
  /// @param a `Â`, `n x n`, row = target, canonical; borrowed
  /// @throws IllegalArgumentException if it is not square or not canonical
  static AdjacencyRows whole(CsrMatrix a) {
    return new WholeAdjacency(a);
  }

  /// What an entry adds to the sum of its column.
  @FunctionalInterface
  interface Term {
    /// @param coefficient of the entry, scales applied
    /// @param rowLength entries of its row
    double of(int row, int column, double coefficient, int rowLength);
  }

  /// `n`.
  int vertices();

  /// Entries of each row: the in-degrees. Borrowed.
  int[] rowLengths();

  /// The rows of some vertices: `Q_R A` for a `Q_R` with one entry a row.
  ///
  /// @param vertices in any order; duplicates are allowed; borrowed
  SelectedRows select(int[] vertices);

  /// The sum of the terms of all entries of each column, added in the order of rows.
  double[] columnSums(Term term);
}
