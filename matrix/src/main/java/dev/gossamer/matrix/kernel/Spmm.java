package dev.gossamer.matrix.kernel;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Sparse times dense: `Y = diag(r) S diag(c) X` for a fixed sparse matrix and any number of
/// products.
///
/// Rows are cut once, from the matrix alone, into contiguous ranges of about equal work (entries
/// plus rows); a range is a task of [Workers], so the bits of `Y` depend on no thread count. A task
/// copies column ids and weights of its entries into small arrays of its worker and sums rows in
/// registers, in the order of the entries; a row longer than half of [Workers#SCRATCH_ELEMENTS] is
/// summed piece by piece.
///
/// A column scale is multiplied into a weight per entry when this is made, `4 nnz` bytes that live
/// as long as this does: reading them in order is faster than one more random access per entry.
/// Without a column scale nothing is kept, and the values, if there are any, are read where they
/// are.
///
/// Cost: at most `nnz (8 + 4 f)` bytes read and `4 n f` written. Thread-safe as far as the callers'
/// [Workers] and results are different ones.
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

  /// Bytes of `X` that a last-level cache may hold. Of a larger one, only [#PASS_BYTES] of each row
  /// are read in one pass over the matrix, so that more of what is read twice is still cached.
  private static final long CACHED_BYTES = 1 << 24;

  private static final long PASS_BYTES = 512;

  private final CsrMatrix a;
  private final @Nullable MemorySegment weights;
  private final long[] taskRows;

  /// @param a the matrix, borrowed; its entries must not change as long as this is used
  /// @throws IllegalArgumentException if a row pointer descends or a column id is out of range: the
  ///   products trust them
  public Spmm(CsrMatrix a) {
    String fault = a.validate();
    if (fault != null) {
      throw new IllegalArgumentException("spmm: a is %s; %s".formatted(a, fault));
    }
    this.a = a;
    weights = weights(a);
    taskRows = split(a);
  }

  public CsrMatrix matrix() {
    return a;
  }

  /// `y = a x`, and then `epilogue` on each block of finished rows.
  ///
  /// @param x `cols x f`
  /// @param y `rows x f`, overwritten; shares no memory with `x`
  /// @throws IllegalArgumentException if a shape does not fit, or memory is on the heap or, for
  ///   `y`, read-only
  /// @throws IllegalStateException if the memory of `x` or `y` is closed; it must stay open until
  ///   this returns
  public void multiply(DenseMatrix x, DenseMatrix y, Workers workers, RowEpilogue epilogue) {
    run(x, y, false, workers, epilogue);
  }

  /// `y += a x`, and then `epilogue` on each block of finished rows.
  ///
  /// @param x `cols x f`
  /// @param y `rows x f`, added to; shares no memory with `x`
  /// @throws IllegalArgumentException if a shape does not fit, or memory is on the heap or, for
  ///   `y`, read-only
  /// @throws IllegalStateException if the memory of `x` or `y` is closed; it must stay open until
  ///   this returns
  public void multiplyAdd(DenseMatrix x, DenseMatrix y, Workers workers, RowEpilogue epilogue) {
    run(x, y, true, workers, epilogue);
  }

  private void run(
      DenseMatrix x, DenseMatrix y, boolean add, Workers workers, RowEpilogue epilogue) {
    checkShapes(x, y);
    long pitch = (long) x.cols() * Float.BYTES;
    long pass = x.data().byteSize() > CACHED_BYTES ? PASS_BYTES : pitch;
    for (long column = 0; column < pitch; column += pass) {
      long from = column;
      long width = Math.min(pass, pitch - from);
      workers.run(
          taskRows.length - 1,
          (task, worker) -> {
            int[] ints = workers.scratchInts(worker);
            float[] floats = workers.scratchFloats(worker);
            rows(taskRows[task], taskRows[task + 1], x, y, from, width, add, ints, floats);
            if (from + width == pitch) {
              epilogue.apply(y, taskRows[task], taskRows[task + 1]);
            }
          });
    }
  }

  /// Rows `begin..end-1`, a block at a time. The arrays hold, in their first halves, id and weight
  /// of each entry, in their second halves end and scale of each row of the block.
  private void rows(
      long begin,
      long end,
      DenseMatrix x,
      DenseMatrix y,
      long column,
      long width,
      boolean add,
      int[] ints,
      float[] floats) {
    long pitch = (long) x.cols() * Float.BYTES;
    long from = x.data().address() + column;
    long to = y.data().address() + column;
    long row = begin;
    long done = a.rowPointer(begin);
    boolean begun = false; // whether entries of this row are summed already
    while (row < end) {
      int count = gatherRows(row, begun ? row + 1 : end, done, ints, floats);
      int entries = count == 0 ? BLOCK : ints[BLOCK + count - 1];
      if (count == 0) {
        ints[BLOCK] = BLOCK;
        floats[BLOCK] = scale(row);
      }
      gatherEntries(done, entries, ints, floats);
      int some = Math.max(count, 1);
      long target = to + row * pitch;
      SpmmRows.multiply(ints, floats, BLOCK, some, from, target, pitch, width, add || begun);
      done += entries;
      row += count;
      begun = count == 0;
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

  private void gatherEntries(long first, int count, int[] ids, float[] floats) {
    MemorySegment.copy(a.columns(), INT, first * Integer.BYTES, ids, 0, count);
    if (weights == null) {
      Arrays.fill(floats, 0, count, 1f);
    } else {
      MemorySegment.copy(weights, FLOAT, first * Float.BYTES, floats, 0, count);
    }
  }

  private static @Nullable MemorySegment weights(CsrMatrix a) {
    MemorySegment scale = a.columnScale();
    if (scale == null) {
      return a.values();
    }
    MemorySegment weights = Arena.ofAuto().allocate(a.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long e = 0; e < a.nnz(); e++) {
      float c = scale.get(FLOAT, (long) a.column(e) * Float.BYTES);
      weights.set(FLOAT, e * Float.BYTES, a.value(e) * c);
    }
    return weights;
  }

  private void checkShapes(DenseMatrix x, DenseMatrix y) {
    if (!x.data().isNative() || !y.data().isNative()) {
      throw new IllegalArgumentException("spmm: x and y need off-heap memory");
    }
    if (!x.data().scope().isAlive() || !y.data().scope().isAlive()) {
      throw new IllegalStateException("spmm: the memory of x or y is closed already");
    }
    if (y.data().isReadOnly()) {
      throw new IllegalArgumentException("spmm: y is read-only");
    }
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
