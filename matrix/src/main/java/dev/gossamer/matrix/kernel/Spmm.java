package dev.gossamer.matrix.kernel;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Sparse times dense: `Y = diag(r) S diag(c) X` for a fixed sparse matrix and any number of
/// products.
///
/// Rows are cut once, from the matrix alone, into contiguous ranges of about equal work (entries
/// plus rows); a range is a task of [Workers], so the bits of `Y` depend on no thread count. A task
/// copies column ids, and what each entry is multiplied with, into small arrays of its worker and
/// sums rows in registers, in the order of the entries; a row longer than
/// [Workers#SCRATCH_ELEMENTS] is summed piece by piece.
///
/// Cost: `nnz (4 + 4 f)` bytes read (8 more an entry with values and column scale) and `4 n f`
/// written. Thread-safe as far as the callers' [Workers] and results are different ones.
public final class Spmm {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Most work in a task, in entries and rows: its rows of `Y` stay in the second-level cache.
  private static final long TASK_WORK = 1 << 14;

  /// Tasks that a small matrix is cut into, if they have at least [#LEAST_TASK_WORK] each.
  private static final long LEAST_TASKS = 64;

  private static final long LEAST_TASK_WORK = 256;

  /// Rows and entries that a worker takes into its arrays at once: half an array each.
  private static final int BLOCK = Workers.SCRATCH_ELEMENTS / 2;

  private final CsrMatrix a;
  private final long[] taskRows;

  /// @param a the matrix, borrowed; its entries must not change as long as this is used, its values
  ///   and scales may
  public Spmm(CsrMatrix a) {
    this.a = a;
    taskRows = split(a);
  }

  public CsrMatrix matrix() {
    return a;
  }

  /// `y = a x`, and then `epilogue` on each block of finished rows.
  ///
  /// @param x `cols x f`
  /// @param y `rows x f`, overwritten; shares no memory with `x`
  /// @throws IllegalArgumentException if a shape does not fit
  /// @throws IndexOutOfBoundsException if a column id is out of range
  public void multiply(DenseMatrix x, DenseMatrix y, Workers workers, RowEpilogue epilogue) {
    run(x, y, false, workers, epilogue);
  }

  /// `y += a x`, and then `epilogue` on each block of finished rows.
  ///
  /// @param x `cols x f`
  /// @param y `rows x f`, added to; shares no memory with `x`
  /// @throws IllegalArgumentException if a shape does not fit
  /// @throws IndexOutOfBoundsException if a column id is out of range
  public void multiplyAdd(DenseMatrix x, DenseMatrix y, Workers workers, RowEpilogue epilogue) {
    run(x, y, true, workers, epilogue);
  }

  private void run(
      DenseMatrix x, DenseMatrix y, boolean add, Workers workers, RowEpilogue epilogue) {
    checkShapes(x, y);
    workers.run(
        taskRows.length - 1,
        (task, worker) -> {
          int[] ints = workers.scratchInts(worker);
          float[] floats = workers.scratchFloats(worker);
          rows(taskRows[task], taskRows[task + 1], x, y, add, ints, floats);
          epilogue.apply(y, taskRows[task], taskRows[task + 1]);
        });
  }

  /// Rows `begin..end-1`, a block at a time. The arrays hold, in their first halves, id and weight
  /// of each entry, in their second halves end and scale of each row of the block.
  private void rows(
      long begin, long end, DenseMatrix x, DenseMatrix y, boolean add, int[] ints, float[] floats) {
    long row = begin;
    while (row < end) {
      long first = a.rowPointer(row);
      int count = gatherRows(row, end, first, ints, floats);
      if (count == 0) {
        longRow(row, x, y, add, ints, floats);
        row++;
      } else {
        int entries = ints[BLOCK + count - 1];
        gatherEntries(first, entries, ints, floats);
        SpmmRows.multiply(ints, floats, BLOCK, count, x, y, row, add);
        row += count;
      }
    }
  }

  /// A row of more than [#BLOCK] entries.
  private void longRow(
      long row, DenseMatrix x, DenseMatrix y, boolean add, int[] ints, float[] floats) {
    long end = a.rowPointer(row + 1);
    floats[BLOCK] = scale(row);
    boolean addPiece = add;
    for (long e = a.rowPointer(row); e < end; e += BLOCK) {
      int entries = (int) Math.min(BLOCK, end - e);
      gatherEntries(e, entries, ints, floats);
      ints[BLOCK] = entries;
      SpmmRows.multiply(ints, floats, BLOCK, 1, x, y, row, addPiece);
      addPiece = true;
    }
  }

  /// Notes end and scale of the rows from `row` that fit whole in a block.
  ///
  /// @return their number; 0 if the first one does not fit
  private int gatherRows(long row, long end, long first, int[] ints, float[] floats) {
    int most = (int) Math.min(BLOCK, end - row);
    MemorySegment pointers = a.rowPointers();
    int count = 0;
    int previous = 0;
    while (count < most) {
      long last = pointers.get(LONG, (row + count + 1) * Long.BYTES) - first;
      if (last > BLOCK) {
        break;
      }
      ints[BLOCK + count] = (int) last;
      floats[BLOCK + count] = last == previous ? 0f : scale(row + count);
      previous = (int) last;
      count++;
    }
    return count;
  }

  private float scale(long row) {
    MemorySegment scale = a.rowScale();
    return scale == null ? 1f : scale.get(FLOAT, row * Float.BYTES);
  }

  private void gatherEntries(long first, int count, int[] ids, float[] weights) {
    MemorySegment.copy(a.columns(), INT, first * Integer.BYTES, ids, 0, count);
    MemorySegment values = a.values();
    if (values == null) {
      Arrays.fill(weights, 0, count, 1f);
    } else {
      MemorySegment.copy(values, FLOAT, first * Float.BYTES, weights, 0, count);
    }
    MemorySegment columnScale = a.columnScale();
    if (columnScale != null) {
      multiplyScale(columnScale, ids, weights, count);
    }
  }

  private static void multiplyScale(
      MemorySegment columnScale, int[] ids, float[] weights, int count) {
    for (int k = 0; k < count; k++) {
      weights[k] *= columnScale.get(FLOAT, (long) ids[k] * Float.BYTES);
    }
  }

  private void checkShapes(DenseMatrix x, DenseMatrix y) {
    if (x.rows() != a.cols()) {
      throw new IllegalArgumentException(
          "spmm: a is %d x %d but x is %s; x needs %d rows"
              .formatted(a.rows(), a.cols(), x, a.cols()));
    }
    if (y.rows() != a.rows() || y.cols() != x.cols()) {
      throw new IllegalArgumentException(
          "spmm: a is %d x %d and x is %s but y is %s; y needs to be %d x %d"
              .formatted(a.rows(), a.cols(), x, y, a.rows(), x.cols()));
    }
  }

  /// First rows of the tasks, and the number of rows at the end.
  private static long[] split(CsrMatrix a) {
    long total = a.nnz() + a.rows();
    long work = Math.clamp(total / LEAST_TASKS, LEAST_TASK_WORK, TASK_WORK);
    // Two neighbours together exceed the work of one.
    int most = Math.toIntExact(2 * (total / work) + 1);
    long[] starts = new long[most + 1];
    int tasks = 0;
    long row = 0;
    while (row < a.rows()) {
      starts[tasks++] = row;
      long goal = a.rowPointer(row) + row + work;
      row = Math.max(row + 1, lastRowBelow(a, row, goal));
    }
    starts[tasks] = row;
    return Arrays.copyOf(starts, tasks + 1);
  }

  /// The last row, after `from`, up to whose start entries and rows count at most `goal`.
  private static long lastRowBelow(CsrMatrix a, long from, long goal) {
    long low = from;
    long high = a.rows();
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (a.rowPointer(middle) + middle <= goal) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
