package dev.gossamer.gnn.sampling.blocks;

/// The numbers of the batches of a bulk in their epoch, evenly spaced: those of one rank if batches
/// are dealt in turn.
///
/// @param first number of the first batch
/// @param stride from one batch to the next
public record BatchNumbers(int first, int stride) {
  /// {@return number of batch `b` of the bulk}
  ///
  /// @param b number in the bulk, from 0
  public int of(int b) {
    return first + b * stride;
  }

  /// {@return the numbers from batch `b` of the bulk on}
  ///
  /// @param b number in the bulk, from 0
  public BatchNumbers from(int b) {
    return new BatchNumbers(of(b), stride);
  }
}
