package dev.gossamer.pruned.layers;

/// Samples that pass through the layers together, for training or evaluation.
///
/// @param samples of the microbatch
/// @param first number of its first sample in the batch of all ranks
/// @param step iteration, a key of the dropout draws
/// @param training whether dropout is applied and batch normalisation uses the statistics of the
///   batch
public record Microbatch(int samples, long first, long step, boolean training) {
  /// {@return samples for training}
  ///
  /// @param samples of the microbatch
  /// @param first number of the first sample in the batch of all ranks
  /// @param step iteration
  public static Microbatch training(int samples, long first, long step) {
    return new Microbatch(samples, first, step, true);
  }

  /// {@return samples for evaluation: without dropout, and with running statistics}
  ///
  /// @param samples of the microbatch
  /// @param first number of the first sample in the evaluation
  public static Microbatch evaluation(int samples, long first) {
    return new Microbatch(samples, first, 0, false);
  }
}
