package dev.gossamer.matrix.dense;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.StoredMatrix;
import dev.gossamer.matrix.tile.Tiles;

/// The three sizes of a product, `m` the long one, after the operands have been found to fit.
///
/// @param m rows of the long operands
/// @param k width of the first operand
/// @param n width of the second operand, or of the result
record MatmulShape(long m, int k, int n) {
  /// Rows of tall operands that one task takes are such that they fill at most this many floats of
  /// an operand: together they stay in a second-level cache.
  private static final int BLOCK_FLOATS = 1 << 16;

  private static final int MAX_BLOCK_ROWS = 1024;

  /// Rows that are multiplied and then take the epilogue fill at most this many floats of an
  /// operand.
  private static final int FUSED_FLOATS = 1 << 14;

  /// Shape of `A B`.
  static MatmulShape plain(DenseMatrix a, DenseMatrix b, DenseMatrix c) {
    return plain(a, StoredMatrix.of(b), c);
  }

  /// Shape of `A B`.
  static MatmulShape plain(DenseMatrix a, StoredMatrix b, DenseMatrix c) {
    if (b.rows() != a.cols()) {
      throw new IllegalArgumentException(
          "matmul: a is %s but b is %s; b needs %d rows".formatted(a, b, a.cols()));
    }
    requireWidths("matmul", a, b);
    requireResult("matmul", a, b, c, a.rows(), b.cols());
    return new MatmulShape(a.rows(), a.cols(), b.cols());
  }

  /// Shape of `A B^T`.
  static MatmulShape transposed(DenseMatrix a, DenseMatrix b, DenseMatrix c) {
    return transposed(a, StoredMatrix.of(b), c);
  }

  /// Shape of `A B^T`.
  static MatmulShape transposed(DenseMatrix a, StoredMatrix b, DenseMatrix c) {
    if (b.cols() != a.cols()) {
      throw new IllegalArgumentException(
          "matmul transposed: a is %s but b is %s; b needs %d columns".formatted(a, b, a.cols()));
    }
    if (b.rows() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "matmul transposed: b is %s; its rows become columns and need 32 bits".formatted(b));
    }
    requireWidths("matmul transposed", a, b);
    requireResult("matmul transposed", a, b, c, a.rows(), (int) b.rows());
    return new MatmulShape(a.rows(), a.cols(), (int) b.rows());
  }

  /// Shape of `A^T B`.
  static MatmulShape outer(DenseMatrix a, DenseMatrix b, DenseMatrix c) {
    MatmulShape shape = outer(a, b);
    requireResult("transposed matmul", a, StoredMatrix.of(b), c, a.cols(), b.cols());
    return shape;
  }

  /// Shape of `A^T B`, wherever the result goes.
  static MatmulShape outer(DenseMatrix a, DenseMatrix b) {
    if (b.rows() != a.rows()) {
      throw new IllegalArgumentException(
          "transposed matmul: a is %s but b is %s; b needs %d rows".formatted(a, b, a.rows()));
    }
    requireWidths("transposed matmul", a, StoredMatrix.of(b));
    return new MatmulShape(a.rows(), a.cols(), b.cols());
  }

  /// Rows of the tall operands that one task takes: a multiple of the rows of a tile.
  int blockRows() {
    return rows(BLOCK_FLOATS);
  }

  /// Rows of a block that take the epilogue together: as many or fewer, and such a multiple too.
  int fusedRows() {
    return rows(FUSED_FLOATS);
  }

  private int rows(int floats) {
    int rows = floats / Math.max(k, n) / Tiles.ROWS * Tiles.ROWS;
    return Math.clamp(rows, Tiles.ROWS, MAX_BLOCK_ROWS);
  }

  /// Tasks of [#blockRows] rows.
  int blocks() {
    return Math.toIntExact(Math.ceilDiv(m, blockRows()));
  }

  private static void requireWidths(String what, DenseMatrix a, StoredMatrix b) {
    if (a.cols() < 1 || b.cols() < 1) {
      throw new IllegalArgumentException(
          "%s: a is %s and b is %s; each needs at least 1 column".formatted(what, a, b));
    }
  }

  private static void requireResult(
      String what, DenseMatrix a, StoredMatrix b, DenseMatrix c, long rows, int cols) {
    if (c.rows() != rows || c.cols() != cols) {
      throw new IllegalArgumentException(
          "%s: a is %s and b is %s but the result is %s; it needs to be %d x %d"
              .formatted(what, a, b, c, rows, cols));
    }
  }
}
