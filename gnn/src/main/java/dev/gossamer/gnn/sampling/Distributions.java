package dev.gossamer.gnn.sampling;

/// The distributions to draw from: the rows of `P` after NORM, without common factors of a row.
/// Samplers differ in the rows; SAMPLE has two ways to draw from them.
sealed interface Distributions {
  /// One row per destination: its neighbours, uniformly.
  record OfDestinations(SelectedRows rows) implements Distributions {}

  /// One row of weighted candidates per batch.
  record OfBatches(RowOfBatch row) implements Distributions {}

  /// The row of one batch after another.
  @FunctionalInterface
  interface RowOfBatch {
    /// @param b number of the batch
    /// @param scratch of the thread that draws, which may be filled and returned
    WeightedRow of(int b, WeightedRow scratch);
  }
}
