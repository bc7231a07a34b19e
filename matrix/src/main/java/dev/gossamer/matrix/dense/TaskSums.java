package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Sums over rows that threads share: tasks of rows, whose sums are added up in their order, so
/// that the result does not depend on the number of threads.
final class TaskSums {
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE;

  /// Rows that one task takes, at most; their sum is taken first.
  private static final int TASK_ROWS = 1 << 10;

  /// Elements of a task, about: a few rows may have as many as a large graph.
  private static final int TASK_ELEMENTS = 1 << 15;

  /// Sums that there is room for.
  private static final int MOST_TASKS = Workers.SHARED_BYTES / Double.BYTES;

  private TaskSums() {}

  /// The sum over some rows.
  @FunctionalInterface
  interface Rows {
    double of(int begin, int end);
  }

  /// {@return the sum over all rows}
  ///
  /// @param n number of rows
  /// @param cols elements of a row, at least 1
  /// @param w threads that share the work
  /// @param rows sums some of them
  static double of(int n, int cols, Workers w, Rows rows) {
    int inTask =
        Math.max(Math.clamp(TASK_ELEMENTS / cols, 1, TASK_ROWS), Math.ceilDiv(n, MOST_TASKS));
    int tasks = Math.ceilDiv(n, inTask);
    MemorySegment sums = w.sharedScratch();
    w.run(
        tasks,
        (task, worker) -> {
          int begin = task * inTask;
          int end = (int) Math.min(n, begin + (long) inTask);
          sums.setAtIndex(DOUBLE, task, rows.of(begin, end));
        });
    double sum = 0;
    for (int task = 0; task < tasks; task++) {
      sum += sums.getAtIndex(DOUBLE, task);
    }
    return sum;
  }
}
