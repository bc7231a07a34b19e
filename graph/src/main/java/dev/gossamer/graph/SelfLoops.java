package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// Self loops of a matrix with canonical rows.
final class SelfLoops {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private SelfLoops() {}

  /// Returns whether a row has no entry on the diagonal.
  static boolean missing(CsrMatrix a, int v) {
    return a.find(v, v) < 0;
  }

  /// Returns the number of entries on the diagonal.
  static long count(CsrMatrix a) {
    long count = 0;
    for (int v = 0; v < a.rows(); v++) {
      count += missing(a, v) ? 0 : 1;
    }
    return count;
  }

  /// Returns a copy with 1 on the diagonal of every row without an entry there.
  static CsrMatrix added(Arena arena, CsrMatrix a) {
    long n = a.rows();
    MemorySegment pointers = arena.allocate((n + 1) * Long.BYTES, Long.BYTES);
    long total = 0;
    for (int v = 0; v < n; v++) {
      total += a.rowLength(v) + (missing(a, v) ? 1 : 0);
      pointers.set(LONG, (v + 1L) * Long.BYTES, total);
    }
    MemorySegment columns = arena.allocate(total * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment values =
        a.values() == null ? null : arena.allocate(total * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int v = 0; v < n; v++) {
      long from = a.rowPointer(v);
      long to = pointers.get(LONG, (long) v * Long.BYTES);
      long found = a.find(v, v);
      long before = (found < 0 ? -found - 1 : found) - from;
      copy(a, from, columns, values, to, before);
      if (found < 0) {
        columns.set(INT, (to + before) * Integer.BYTES, v);
        if (values != null) {
          values.set(FLOAT, (to + before) * Float.BYTES, 1f);
        }
      }
      long after = to + before + (found < 0 ? 1 : 0);
      copy(a, from + before, columns, values, after, a.rowLength(v) - before);
    }
    return CsrMatrix.wrap(n, a.cols(), pointers, columns, values);
  }

  private static void copy(
      CsrMatrix a,
      long from,
      MemorySegment columns,
      @Nullable MemorySegment values,
      long to,
      long count) {
    MemorySegment.copy(
        a.columns(), from * Integer.BYTES, columns, to * Integer.BYTES, count * Integer.BYTES);
    if (values != null && a.values() != null) {
      MemorySegment.copy(
          a.values(), from * Float.BYTES, values, to * Float.BYTES, count * Float.BYTES);
    }
  }
}
