package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.tile.RowTasks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Entries of a sparse matrix as [Spmm] walks through them: all, or those of some columns.
///
/// The rows are cut into [RowTasks]. A task copies column ids and weights of its entries into small
/// arrays of its worker; a row longer than half of [Workers#SCRATCH_ELEMENTS] is summed piece by
/// piece.
final class SpmmPart {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Rows and entries that a worker takes into its arrays at once: half an array each.
  private static final int BLOCK = Workers.SCRATCH_ELEMENTS / 2;

  private final CsrMatrix a;
  private final @Nullable MemorySegment weights;
  private final RowTasks tasks;

  /// @param a row pointers, column ids and row scale; its values and column scale are not read
  /// @param weights float32[nnz], or null for ones
  SpmmPart(CsrMatrix a, @Nullable MemorySegment weights) {
    this.a = a;
    this.weights = weights;
    tasks = RowTasks.of(a);
  }

  long nnz() {
    return a.nnz();
  }

  int tasks() {
    return tasks.count();
  }

  /// The first row of a task; of the task after the last one, the number of rows.
  long firstRow(int task) {
    return tasks.first(task);
  }

  /// Sums the rows of a task, a block at a time. The arrays hold, in their first halves, id and
  /// weight of each entry, in their second halves end and scale of each row of the block.
  ///
  /// @param x address of the first column to be read of row 0 of `X`
  /// @param y address of the first column to be written of row 0 of `Y`
  /// @param xPitch bytes from row to row of `X`
  /// @param yPitch bytes from row to row of `Y`
  /// @param width bytes to be written of a row
  /// @param add whether to add to `Y` or to overwrite it
  void multiply(
      int task,
      long x,
      long y,
      long xPitch,
      long yPitch,
      long width,
      boolean add,
      int[] ints,
      float[] floats) {
    long end = tasks.first(task + 1);
    long row = tasks.first(task);
    long done = a.rowPointer(row);
    boolean begun = false; // whether entries of this row are summed already
    while (row < end) {
      int count = gatherRows(row, begun ? row + 1 : end, done, ints, floats);
      int entries = count == 0 ? BLOCK : ints[BLOCK + count - 1];
      if (count == 0) {
        ints[BLOCK] = BLOCK;
        floats[BLOCK] = scale(row);
      }
      gatherEntries(done, entries, ints, floats);
      SpmmRows.multiply(
          ints,
          floats,
          BLOCK,
          Math.max(count, 1),
          x,
          y + row * yPitch,
          xPitch,
          yPitch,
          width,
          add || begun);
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
}
