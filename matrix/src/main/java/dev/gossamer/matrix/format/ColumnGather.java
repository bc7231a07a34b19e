package dev.gossamer.matrix.format;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/// Reads column ids of arbitrary entries of a sparse matrix: one loop without branches, so that
/// many reads are pending at the same time.
public final class ColumnGather {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private ColumnGather() {}

  /// Computes `to[at + k] = column(entries[k])` for `k` below `count`.
  ///
  /// @param a the matrix
  /// @param entries of the matrix, each in `0..nnz-1`
  /// @param count number of entries to read
  /// @param to overwritten from `at` on
  /// @param at first index of `to` that is written
  /// @throws IndexOutOfBoundsException if the matrix has no such entry, or an array is too short;
  ///   then nothing is written
  public static void gather(CsrMatrix a, long[] entries, int count, int[] to, int at) {
    Objects.checkFromIndexSize(0, count, entries.length);
    Objects.checkFromIndexSize(at, count, to.length);
    long outside = 0;
    long last = a.nnz() - 1;
    for (int k = 0; k < count; k++) {
      outside |= entries[k] | (last - entries[k]);
    }
    if (outside < 0) {
      throw new IndexOutOfBoundsException("gather: an entry is outside of " + a);
    }
    Memory.hold(() -> heldGather(a, entries, count, to, at), a.columns());
  }

  private static void heldGather(CsrMatrix a, long[] entries, int count, int[] to, int at) {
    long base = a.columns().address();
    for (int k = 0; k < count; k++) {
      to[at + k] = Memory.ALL.get(INT, Memory.at(base + entries[k] * Integer.BYTES));
    }
  }
}
