package dev.gossamer.pruned.layers;

/// Which samples go through the layers together, and what for.
///
/// @param samples of the microbatch
/// @param first number of its first sample in the batch of all ranks
/// @param step iteration, which dropout is drawn for
/// @param training whether dropout drops and batches are normalised by their own statistics
public record Microbatch(int samples, long first, long step, boolean training) {
  /// {@return samples to learn from}
  ///
  /// @param samples of the microbatch
  /// @param first number of the first sample in the batch of all ranks
  /// @param step iteration
  public static Microbatch training(int samples, long first, long step) {
    return new Microbatch(samples, first, step, true);
  }

  /// {@return samples to evaluate: nothing is dropped, and batch normalisation uses its running
  /// statistics}
  ///
  /// @param samples of the microbatch
  /// @param first number of the first sample in the evaluation
  public static Microbatch evaluation(int samples, long first) {
    return new Microbatch(samples, first, 0, false);
  }
}
