package dev.gossamer.graph.format;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// A sparse feature matrix that is filled row by row, in any order inside a row.
public final class SparseFeatureRows {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final int cols;
  private final long rows;
  private final MemorySegment pointers;
  private final MemorySegment columns;
  private final MemorySegment values;
  private long[] row = new long[64];
  private int length;
  private long at;
  private long filled;

  /// Allocates the memory.
  ///
  /// @param arena owner of the result
  /// @param rows of the matrix
  /// @param cols of the matrix
  /// @param nnz exact number of entries that will be added
  public SparseFeatureRows(Arena arena, long rows, int cols, long nnz) {
    this.rows = rows;
    this.cols = cols;
    pointers = arena.allocate((rows + 1) * Long.BYTES, Long.BYTES);
    columns = arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT);
    values = arena.allocate(nnz * Float.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// Adds an entry to the row.
  ///
  /// @param column of the entry
  /// @param value of the entry
  public void add(int column, float value) {
    if (length == row.length) {
      row = Arrays.copyOf(row, 2 * length);
    }
    row[length++] = (long) column << 32 | (Float.floatToRawIntBits(value) & 0xffffffffL);
  }

  /// Sorts the row and moves to the next.
  ///
  /// @return a duplicate column, or -1
  public int endRow() {
    Arrays.sort(row, 0, length);
    int repeated = -1;
    for (int k = 0; k < length; k++) {
      int column = (int) (row[k] >> 32);
      if (k > 0 && column == (int) (row[k - 1] >> 32)) {
        repeated = column;
      }
      columns.setAtIndex(INT, at, column);
      values.setAtIndex(FLOAT, at++, Float.intBitsToFloat((int) row[k]));
    }
    length = 0;
    pointers.setAtIndex(ValueLayout.JAVA_LONG, ++filled, at);
    return repeated;
  }

  /// {@return the matrix, after all rows have ended}
  public CsrMatrix matrix() {
    return CsrMatrix.wrap(rows, cols, pointers, columns, values);
  }
}
