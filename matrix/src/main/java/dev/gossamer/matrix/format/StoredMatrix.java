package dev.gossamer.matrix.format;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;

/// A `rows x cols` matrix of numbers in some format, row-major without gaps: the weights of a layer
/// in the form that products read.
///
/// @param data exactly `rows cols` numbers of the format; borrowed
/// @param rows number of rows
/// @param cols number of columns
/// @param format of the numbers
public record StoredMatrix(MemorySegment data, long rows, int cols, NumberFormat format) {
  /// Checks the size.
  public StoredMatrix {
    if (data.byteSize() != bytes(rows, cols, format)) {
      throw new IllegalArgumentException(
          "stored matrix: %d x %d in %s needs %d bytes but the segment has %d"
              .formatted(rows, cols, format, bytes(rows, cols, format), data.byteSize()));
    }
  }

  /// {@return a float32 matrix over the same memory}
  ///
  /// @param x borrowed
  public static StoredMatrix of(DenseMatrix x) {
    return new StoredMatrix(x.data(), x.rows(), x.cols(), NumberFormat.FLOAT32);
  }

  /// {@return the bytes of a matrix of this shape}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param format of the numbers
  /// @throws IllegalArgumentException if a size is negative or the product overflows 64 bits
  public static long bytes(long rows, int cols, NumberFormat format) {
    return DenseMatrix.bytes(rows, cols) / Float.BYTES * format.bytes();
  }

  /// {@return the byte offset of the first element of a row}
  ///
  /// @param row `0..rows-1`
  public long offset(long row) {
    return row * cols * format.bytes();
  }

  /// Copies one row as float32.
  ///
  /// @param row `0..rows-1`
  /// @param to `float32[cols]`, overwritten
  /// @throws IndexOutOfBoundsException if there is no such row
  public void row(long row, MemorySegment to) {
    format.widen(data.asSlice(offset(row), offset(1)), to);
  }

  /// Returns the shape, as shown in error messages: `2708 x 16`.
  @Override
  public String toString() {
    return rows + " x " + cols;
  }
}
