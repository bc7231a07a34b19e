package dev.gossamer.pruned.pipeline;

import java.util.function.Consumer;

/// Values that all ranks sum at the end of an iteration, in one message: initially those of a rank,
/// then those of all.
final class Agreement {
  /// Number of values in the message.
  static final int COUNT = 4;

  /// Squares of the gradient's elements; of one replica, as they are the same on all.
  double squares;

  /// Ranks whose gradients are not finite.
  double infinite;

  /// Loss of all samples.
  double loss;

  /// Ranks that were asked to stop.
  double stops;

  /// Sums the figures over all ranks.
  ///
  /// @param sum of each number over the ranks; collective
  void over(Consumer<double[]> sum) {
    double[] all = {squares, infinite, loss, stops};
    sum.accept(all);
    squares = all[0];
    infinite = all[1];
    loss = all[2];
    stops = all[3];
  }
}
