package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.CsrMatrix;

/// What is drawn from: the rows of `P` after NORM. A factor that a row has in common does not
/// matter and is left out.
sealed interface Distributions {
  /// One row for each destination: its neighbours, all alike.
  record Uniform(SelectedRows rows) implements Distributions {}

  /// One row for each batch: candidates and the square of each value of `P`.
  record Squares(CsrMatrix p) implements Distributions {}

  /// One row that all batches share.
  record Shared(WeightedRow row) implements Distributions {}
}
