package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;

/// Divides memory into consecutive matrices, each aligned like the whole.
public final class Pieces {
  private static final long ALIGNMENT = DenseMatrix.ALIGNMENT / DenseMatrix.ELEMENT_BYTES;

  private final DenseMatrix memory;
  private long next;

  /// Divides memory from its beginning.
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

  /// {@return all memory after the pieces so far}
  public DenseMatrix rest() {
    MemorySegment rest = memory.data().asSlice(DenseMatrix.bytes(next, 1));
    return DenseMatrix.wrap(rest, rest.byteSize() / DenseMatrix.ELEMENT_BYTES, 1);
  }

  /// {@return the number of elements of a piece}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  public static long elements(long rows, int cols) {
    return Math.ceilDiv(rows * cols, ALIGNMENT) * ALIGNMENT;
  }
}
