package dev.gossamer.partition.level;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/// The pattern of `A + A^T` without the diagonal, which partitioners use.
public final class Symmetric {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private Symmetric() {}

  /// {@return the matrix itself if its pattern is symmetric, canonical and without a diagonal;
  /// otherwise a new one}. Values of both directions are added. Cost: `O(n + nnz)`.
  ///
  /// @param arena owner of new memory
  /// @param a square
  public static CsrMatrix of(Arena arena, CsrMatrix a) {
    if (isSymmetricPattern(a)) {
      return a;
    }
    CsrBuilder builder = new CsrBuilder(a.cols(), true, false, a.values() != null);
    return builder.build(
        arena,
        sink -> {
          for (int i = 0; i < a.cols(); i++) {
            for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
              sink.arc(i, a.column(e), a.value(e));
            }
          }
        });
  }

  /// Whether the rows ascend strictly, without diagonal, and mirror each other: as rows are walked
  /// in order, the next entry of row `j` that is not yet met must always be the row that names `j`.
  private static boolean isSymmetricPattern(CsrMatrix a) {
    boolean[] symmetric = new boolean[1];
    Memory.hold(() -> symmetric[0] = isHeldSymmetric(a), a.columns());
    return symmetric[0];
  }

  private static boolean isHeldSymmetric(CsrMatrix a) {
    int n = a.cols();
    long columns = Memory.address(a.columns(), 0, a.nnz() * Integer.BYTES);
    long[] next = new long[n];
    for (int i = 0; i < n; i++) {
      next[i] = a.rowPointer(i);
    }
    for (int i = 0; i < n; i++) {
      long end = a.rowPointer(i + 1L);
      int before = -1;
      for (long e = a.rowPointer(i); e < end; e++) {
        int j = column(columns, e);
        if (j <= before || j == i || next[j] >= a.rowPointer(j + 1L)) {
          return false;
        }
        if (column(columns, next[j]++) != i) {
          return false;
        }
        before = j;
      }
    }
    return true;
  }

  private static int column(long columns, long entry) {
    return Memory.ALL.get(INT, Memory.at(columns + entry * Integer.BYTES));
  }
}
