package dev.gossamer.gnn.sampling;

/// The numbers in their epoch of the batches of a bulk, evenly spaced: those that are one rank's if
/// batches are dealt in turn.
record BatchNumbers(int first, int stride) {
  /// Number of batch `b` of the bulk.
  int of(int b) {
    return first + b * stride;
  }

  /// The numbers from batch `b` of the bulk on.
  BatchNumbers from(int b) {
    return new BatchNumbers(of(b), stride);
  }
}
