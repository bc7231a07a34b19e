package dev.gossamer.matrix.tile;

import dev.gossamer.matrix.CsrMatrix;
import java.util.Arrays;

/// The rows of a sparse matrix, divided into contiguous tasks of about equal work: entries plus
/// rows. Depends only on the matrix. Immutable.
public final class RowTasks {
  /// Most work in a task, in entries and rows: its rows of a result stay in the second-level cache.
  private static final long MOST_WORK = 1 << 14;

  /// Tasks that a small matrix is cut into, if they have at least [#LEAST_WORK] each.
  private static final long LEAST_TASKS = 64;

  private static final long LEAST_WORK = 256;

  private final long[] starts;

  private RowTasks(long[] starts) {
    this.starts = starts;
  }

  /// {@return the tasks of a matrix}
  ///
  /// @param a the matrix; not kept
  public static RowTasks of(CsrMatrix a) {
    long total = a.nnz() + a.rows();
    long work = Math.clamp(total / LEAST_TASKS, LEAST_WORK, MOST_WORK);
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
    return new RowTasks(Arrays.copyOf(starts, tasks + 1));
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

  /// {@return the number of tasks}
  public int count() {
    return starts.length - 1;
  }

  /// {@return the first row of a task; of the task after the last one, the number of rows}
  ///
  /// @param task `0..count`
  public long first(int task) {
    return starts[task];
  }
}
