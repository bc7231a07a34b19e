package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.StoredMatrix;

/// Products with a right operand in any [dev.gossamer.matrix.format.NumberFormat], in Java. Its
/// elements are widened to float32 while they are packed for the product, in pieces that fit a
/// cache, without a float32 copy.
///
/// Results are bit-identical to those of [Matmul#java] with the widened operand, with the same
/// rules for shapes, scratch memory and threads. Local.
public final class StoredProducts {
  private StoredProducts() {}

  /// Computes `C = A B`.
  ///
  /// @param a `m x k`
  /// @param b `k x n`
  /// @param c `m x n`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows while they are in cache
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void multiply(
      DenseMatrix a, StoredMatrix b, DenseMatrix c, Workers w, RowEpilogue epilogue) {
    JavaMatmul.product(MatmulShape.plain(a, b, c), a, b, false, c, w, epilogue);
  }

  /// Computes `C = A B^T`.
  ///
  /// @param a `m x k`
  /// @param b `n x k`
  /// @param c `m x n`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows while they are in cache
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void multiplyTransposed(
      DenseMatrix a, StoredMatrix b, DenseMatrix c, Workers w, RowEpilogue epilogue) {
    JavaMatmul.product(MatmulShape.transposed(a, b, c), a, b, true, c, w, epilogue);
  }
}
