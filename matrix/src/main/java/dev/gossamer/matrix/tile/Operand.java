package dev.gossamer.matrix.tile;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;

/// A matrix of floats as [Tiles] reads and writes it: the element `(i, j)` is at byte `at + i row +
/// j column` of a segment.
///
/// @param data the segment
/// @param at byte of the first element
/// @param row bytes from a row to the next
/// @param column bytes from a column to the next
public record Operand(MemorySegment data, long at, long row, long column) {
  /// {@return a matrix whose rows are contiguous}
  ///
  /// @param data the segment
  /// @param at byte of the first element
  /// @param row bytes from a row to the next
  public static Operand rows(MemorySegment data, long at, long row) {
    return new Operand(data, at, row, Float.BYTES);
  }

  /// {@return part of a matrix}
  ///
  /// @param x the matrix
  /// @param row its first row
  /// @param column its first column
  public static Operand of(DenseMatrix x, long row, long column) {
    return rows(x.data(), x.offset(row), x.offset(1)).from(column);
  }

  /// {@return the transpose of the same memory}
  public Operand transposed() {
    return new Operand(data, at, column, row);
  }

  /// {@return the matrix without its first columns}
  ///
  /// @param first number of columns to skip
  public Operand from(long first) {
    return new Operand(data, at + first * column, row, column);
  }

  /// {@return the matrix without its first rows}
  ///
  /// @param first number of rows to skip
  public Operand below(long first) {
    return new Operand(data, at + first * row, row, column);
  }
}
