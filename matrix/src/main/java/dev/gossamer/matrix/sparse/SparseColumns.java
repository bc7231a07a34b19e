package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/// An immutable sparse `k x n` matrix, stored by columns, for products with few rows, as in a
/// language model that generates token by token. [SparseProducts] is for many rows and trainable
/// weights.
///
/// Memory: 6 bytes per nonzero and `4 (n + 1)`. Cost of a product: `2 nnz` operations for each row
/// of `X`. The order of sums depends only on shapes and pattern. Local.
public final class SparseColumns {
  /// Maximum number of rows: the row of a nonzero is stored in 16 bits.
  public static final int MOST_ROWS = 1 << 16;

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR;

  /// Columns of a task.
  private static final int COLUMNS = 512;

  private final int rows;
  private final int cols;

  /// Where the nonzeros of each column begin, `int32[n + 1]`.
  private final MemorySegment starts;

  /// Rows of the nonzeros, `uint16[nnz]`.
  private final MemorySegment at;

  /// `float32[nnz]`.
  private final MemorySegment values;

  private SparseColumns(Arena arena, int rows, int cols, int nonzeros) {
    this.rows = rows;
    this.cols = cols;
    if (rows > MOST_ROWS) {
      throw new IllegalArgumentException(
          "sparse columns: expected at most %d rows, found %d".formatted(MOST_ROWS, rows));
    }
    starts = arena.allocate((cols + 1L) * Integer.BYTES, DenseMatrix.ALIGNMENT);
    at = arena.allocate((long) nonzeros * Character.BYTES, DenseMatrix.ALIGNMENT);
    values = arena.allocate((long) nonzeros * Float.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// {@return a sparse copy of a matrix}
  ///
  /// @param arena owner of the memory
  /// @param dense `k x n`; not kept
  /// @param kept positions of the nonzeros, row by row
  /// @throws IllegalArgumentException if there are too many rows
  public static SparseColumns of(Arena arena, DenseMatrix dense, BitSet kept) {
    int rows = Math.toIntExact(dense.rows());
    int cols = dense.cols();
    SparseColumns sparse = new SparseColumns(arena, rows, cols, kept.cardinality());
    int[] next = new int[cols + 1];
    visit(rows, cols, kept, (i, j) -> next[j + 1]++);
    for (int j = 0; j < cols; j++) {
      next[j + 1] += next[j];
    }
    MemorySegment.copy(next, 0, sparse.starts, INT, 0, cols + 1);
    visit(rows, cols, kept, (i, j) -> sparse.put(next[j]++, i, dense.get(i, j)));
    return sparse;
  }

  /// A nonzero.
  @FunctionalInterface
  private interface Visit {
    void at(int row, int col);
  }

  /// The nonzeros row by row.
  private static void visit(int rows, int cols, BitSet kept, Visit visit) {
    int bit = kept.nextSetBit(0);
    for (int i = 0; i < rows; i++) {
      int begin = i * cols;
      for (; bit >= 0 && bit - begin < cols; bit = kept.nextSetBit(bit + 1)) {
        visit.at(i, bit - begin);
      }
    }
  }

  /// {@return a sparse copy of the transpose of a matrix}
  ///
  /// @param arena owner of the memory
  /// @param dense `n x k`; not kept
  /// @param kept positions of the nonzeros, row by row of `dense`
  /// @throws IllegalArgumentException if there are too many columns
  public static SparseColumns ofTransposed(Arena arena, DenseMatrix dense, BitSet kept) {
    int rows = dense.cols();
    int cols = Math.toIntExact(dense.rows());
    SparseColumns sparse = new SparseColumns(arena, rows, cols, kept.cardinality());
    int[] ends = new int[cols + 1];
    int[] count = {0};
    visit(
        cols,
        rows,
        kept,
        (j, i) -> {
          sparse.put(count[0]++, i, dense.get(j, i));
          ends[j + 1] = count[0];
        });
    for (int j = 0; j < cols; j++) {
      ends[j + 1] = Math.max(ends[j], ends[j + 1]);
    }
    MemorySegment.copy(ends, 0, sparse.starts, INT, 0, cols + 1);
    return sparse;
  }

  private void put(int entry, int row, float value) {
    at.setAtIndex(CHAR, entry, (char) row);
    values.set(FLOAT, (long) entry * Float.BYTES, value);
  }

  /// Computes `Y = X W`.
  ///
  /// @param x `m x k`
  /// @param y `m x n`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows
  /// @throws IllegalArgumentException if the shapes do not fit
  public void multiply(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    if (x.cols() != rows || y.cols() != cols || x.rows() != y.rows()) {
      throw new IllegalArgumentException(
          "sparse columns: x is %s and the matrix %d x %d but the result is %s"
              .formatted(x, rows, cols, y));
    }
    float[] row = new float[rows];
    for (long m = 0; m < x.rows(); m++) {
      MemorySegment.copy(x.data(), FLOAT, x.offset(m), row, 0, rows);
      long to = Memory.address(y.data(), y.offset(m), y.offset(1));
      w.run(
          Math.ceilDiv(cols, COLUMNS),
          (task, worker) -> {
            int begin = task * COLUMNS;
            int end = Math.min(cols, begin + COLUMNS);
            columns(row, begin, end, to);
          },
          starts,
          at,
          values,
          y.data());
    }
    epilogue.apply(y, 0, x.rows());
  }

  /// Four sums, so that none waits for the one before it.
  private void columns(float[] x, int begin, int end, long y) {
    long rowAt = at.address();
    long valueAt = values.address();
    int from = starts.getAtIndex(INT, begin);
    for (int j = begin; j < end; j++) {
      int to = starts.getAtIndex(INT, j + 1);
      float s0 = 0;
      float s1 = 0;
      float s2 = 0;
      float s3 = 0;
      int e = from;
      for (; e + 4 <= to; e += 4) {
        s0 += value(valueAt, e) * x[row(rowAt, e)];
        s1 += value(valueAt, e + 1) * x[row(rowAt, e + 1)];
        s2 += value(valueAt, e + 2) * x[row(rowAt, e + 2)];
        s3 += value(valueAt, e + 3) * x[row(rowAt, e + 3)];
      }
      for (; e < to; e++) {
        s0 += value(valueAt, e) * x[row(rowAt, e)];
      }
      Memory.ALL.set(FLOAT, Memory.at(y + (long) j * Float.BYTES), s0 + s1 + (s2 + s3));
      from = to;
    }
  }

  private static float value(long values, int entry) {
    return Memory.ALL.get(FLOAT, Memory.at(values + (long) entry * Float.BYTES));
  }

  private static int row(long at, int entry) {
    return Memory.ALL.get(
        ValueLayout.JAVA_CHAR_UNALIGNED, Memory.at(at + (long) entry * Character.BYTES));
  }
}
