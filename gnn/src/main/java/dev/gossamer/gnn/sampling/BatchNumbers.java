package dev.gossamer.gnn.sampling;

/// The numbers in their epoch of the batches of a bulk, evenly spaced: those that are one rank's if
/// batches are dealt in turn.
///
/// @param first number of the first batch
/// @param stride from one batch to the next
public record BatchNumbers(int first, int stride) {
  /// Number of batch `b` of the bulk.
  public int of(int b) {
    return first + b * stride;
  }

  /// The numbers from batch `b` of the bulk on.
  public BatchNumbers from(int b) {
    return new BatchNumbers(of(b), stride);
  }
}
