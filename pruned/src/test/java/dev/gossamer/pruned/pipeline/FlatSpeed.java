package dev.gossamer.pruned.pipeline;

/// Ranks that do as many operations a second whatever the sizes, over links that are all alike.
///
/// @param operations floating-point operations of a rank per second
/// @param alpha seconds of a message
/// @param beta seconds of a byte
public record FlatSpeed(double operations, double alpha, double beta) implements RankSpeed {
  @Override
  public double product(long rows, int in, int out) {
    return 2.0 * rows * in * out / operations;
  }

  @Override
  public double weightGradient(long rows, int in, int out) {
    return product(rows, in, out);
  }

  @Override
  public double stream(double bytes) {
    return 0;
  }

  @Override
  public double messages(int from, int to, double count, double bytes) {
    return count * alpha + bytes * beta;
  }
}
