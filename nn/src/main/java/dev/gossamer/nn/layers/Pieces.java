package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;

/// Cuts one piece of memory into matrices, one after the other, each aligned as the whole is.
public final class Pieces {
  private static final long ALIGNMENT = DenseMatrix.ALIGNMENT / DenseMatrix.ELEMENT_BYTES;

  private final DenseMatrix memory;
  private long next;

  /// Cuts pieces from the beginning of some memory.
  ///
  /// @param memory of any shape
  public Pieces(DenseMatrix memory) {
    this.memory = memory;
  }

  /// {@return the next piece}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  public DenseMatrix next(long rows, int cols) {
    long begin = DenseMatrix.bytes(next, 1);
    next += elements(rows, cols);
    return DenseMatrix.wrap(
        memory.data().asSlice(begin, DenseMatrix.bytes(rows, cols)), rows, cols);
  }

  /// {@return elements that a piece takes}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  public static long elements(long rows, int cols) {
    return Math.ceilDiv(rows * cols, ALIGNMENT) * ALIGNMENT;
  }
}
