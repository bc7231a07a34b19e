package dev.gossamer.gnn.sampling.matrices;

/// What is drawn from: the rows of `P` after NORM. A factor that a row has in common does not
/// matter and is left out. Samplers differ in the rows; SAMPLE knows two ways to draw from them.
public sealed interface Distributions {
  /// One row for each destination: its neighbours, all alike.
  ///
  /// @param rows of the destinations
  record OfDestinations(SelectedRows rows) implements Distributions {}

  /// One row of weighted candidates for each batch.
  ///
  /// @param row of each batch
  record OfBatches(RowOfBatch row) implements Distributions {}

  /// The row of one batch after another.
  @FunctionalInterface
  interface RowOfBatch {
    /// {@return the row of a batch}
    ///
    /// @param b number of the batch
    /// @param scratch of the thread that draws, which may be filled and returned
    WeightedRow of(int b, WeightedRow scratch);
  }
}
