package dev.gossamer.pruned.pipeline;

/// The speed of computation and communication: seconds of a rank while all ranks of its node are
/// busy.
public interface RankSpeed {
  /// {@return seconds of `Y = X W`}
  ///
  /// @param rows of `X`
  /// @param in columns of `X`
  /// @param out columns of `W`
  double product(long rows, int in, int out);

  /// {@return seconds of `X^T T`, the gradient of `W`}
  ///
  /// @param rows of `X` and `T`
  /// @param in columns of `X`
  /// @param out columns of `T`
  double weightGradient(long rows, int in, int out);

  /// {@return seconds of a pass over memory}
  ///
  /// @param bytes read and written
  double stream(double bytes);

  /// {@return seconds of messages from one rank to another}
  ///
  /// @param from a rank
  /// @param to another one
  /// @param count messages
  /// @param bytes of all of them
  double messages(int from, int to, double count, double bytes);
}
