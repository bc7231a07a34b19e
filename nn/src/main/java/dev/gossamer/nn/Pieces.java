package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;

/// Cuts one piece of memory into matrices, one after the other, each aligned as the whole is.
public final class Pieces {
  private static final long ALIGNMENT = DenseMatrix.ALIGNMENT / DenseMatrix.ELEMENT_BYTES;

  private final DenseMatrix memory;
  private long next;

  /// @param memory of any shape
  public Pieces(DenseMatrix memory) {
    this.memory = memory;
  }

  /// The next piece.
  public DenseMatrix next(long rows, int cols) {
    long begin = DenseMatrix.bytes(next, 1);
    next += elements(rows, cols);
    return DenseMatrix.wrap(
        memory.data().asSlice(begin, DenseMatrix.bytes(rows, cols)), rows, cols);
  }

  /// Elements that a piece takes.
  public static long elements(long rows, int cols) {
    return Math.ceilDiv(rows * cols, ALIGNMENT) * ALIGNMENT;
  }
}
