package dev.gossamer.planner;

/// What the cores of a node do a second. Measured by a calibration, interpolated between the sizes
/// that were measured.
public interface Rates {
  /// {@return seconds of `Y = X W`}
  ///
  /// @param rows of `X`
  /// @param in columns of `X`
  /// @param out columns of `W`
  /// @param threads that share it
  double matmul(long rows, int in, int out, int threads);

  /// {@return seconds of `X^T G`, the gradient of `W`}
  ///
  /// @param rows of `X` and `G`
  /// @param in columns of `X`
  /// @param out columns of `G`
  /// @param threads that share it
  default double weightGradient(long rows, int in, int out, int threads) {
    return matmul(rows, in, out, threads);
  }

  /// {@return seconds of a product by a sparse matrix}
  ///
  /// @param rows of the matrix
  /// @param entries of the matrix
  /// @param width columns of the dense operand
  /// @param threads that share it
  double spmm(long rows, long entries, int width, int threads);

  /// {@return seconds of an elementwise pass}
  ///
  /// @param bytes read and written
  /// @param threads that share it
  double stream(double bytes, int threads);

  /// {@return seconds of drawing and extracting neighbours}
  ///
  /// @param edges that are drawn
  /// @param threads that draw
  double sampling(double edges, int threads);

  /// {@return seconds of copying rows that lie anywhere}
  ///
  /// @param rows that are copied
  /// @param rowBytes of each
  /// @param threads that share it
  double gather(double rows, int rowBytes, int threads);
}
