package dev.gossamer.planner;

/// The rates of the cores of a node, measured by a calibration and interpolated between the
/// measured sizes.
public interface Rates {
  /// {@return seconds that several threads need to start any of the following, which include it}
  ///
  /// @param threads that begin
  default double start(int threads) {
    return 0;
  }

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

  /// {@return seconds of attention over some edges, forward and backward}
  ///
  /// @param rows targets of the edges
  /// @param edges between rows
  /// @param heads that attend
  /// @param width columns of all heads
  /// @param threads that share it
  double attention(long rows, long edges, int heads, int width, int threads);

  /// {@return seconds of an elementwise pass}
  ///
  /// @param bytes read and written
  /// @param threads that share it
  double stream(double bytes, int threads);

  /// {@return seconds of drawing a dropout mask}
  ///
  /// @param elements of dense matrices
  /// @param threads that share it
  double dropout(double elements, int threads);

  /// {@return the same for sparse matrices}
  ///
  /// @param entries that are stored
  /// @param threads that share it
  double sparseDropout(double entries, int threads);

  /// {@return seconds of the loss and its gradient}
  ///
  /// @param rows with a label
  /// @param classes columns of the logits
  /// @param threads that share it
  double loss(double rows, int classes, int threads);

  /// {@return seconds of checking and transposing blocks of batches}
  ///
  /// @param entries of the blocks
  /// @param threads each of which transposes its own block
  double transpose(double entries, int threads);

  /// {@return seconds of drawing and extracting neighbours}
  ///
  /// @param edges that are drawn
  /// @param threads that draw
  double sampling(double edges, int threads);

  /// {@return seconds of gathering scattered rows}
  ///
  /// @param rows that are copied
  /// @param rowBytes of each
  /// @param threads that share it
  double gather(double rows, int rowBytes, int threads);
}
