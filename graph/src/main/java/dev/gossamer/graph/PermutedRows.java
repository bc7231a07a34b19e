package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Rows of `P A P^T` and of `P A^T P^T`, computed from `A` for requested rows only, optionally with
/// self loops.
final class PermutedRows {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// No row of the result is this vertex's.
  private static final int NONE = -1;

  private final CsrMatrix a;
  private final int[] newIds;
  private final boolean selfLoops;

  PermutedRows(CsrMatrix a, int[] newIds, boolean selfLoops) {
    if (a.rows() != newIds.length || a.cols() != newIds.length) {
      throw new IllegalArgumentException(
          "permutation: the matrix is %s but %d vertices are placed".formatted(a, newIds.length));
    }
    this.a = a;
    this.newIds = newIds;
    this.selfLoops = selfLoops;
  }

  /// Rows of `A`. Cost: `O(nnz log(row length))` of these rows.
  CsrMatrix outgoing(Arena arena, int[] vertices) {
    long[] starts = new long[vertices.length + 1];
    for (int r = 0; r < vertices.length; r++) {
      starts[r + 1] = starts[r] + a.rowLength(vertices[r]) + missingLoop(vertices[r]);
    }
    CsrMatrix result = allocate(arena, starts);
    Rows rows = new Rows(result, starts);
    for (int r = 0; r < vertices.length; r++) {
      int v = vertices[r];
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        rows.append(r, newIds[a.column(e)], a.value(e));
      }
      finish(rows, r, v);
    }
    return result;
  }

  /// Rows of `A^T`, gathered in two passes over all entries of `A`.
  CsrMatrix incoming(Arena arena, int[] vertices) {
    int[] rowOf = new int[newIds.length];
    Arrays.fill(rowOf, NONE);
    long[] starts = new long[vertices.length + 1];
    for (int r = 0; r < vertices.length; r++) {
      rowOf[vertices[r]] = r;
      starts[r + 1] = missingLoop(vertices[r]);
    }
    long nnz = a.nnz();
    for (long e = 0; e < nnz; e++) {
      int r = rowOf[a.column(e)];
      if (r != NONE) {
        starts[r + 1]++;
      }
    }
    Arrays.parallelPrefix(starts, Long::sum);
    CsrMatrix result = allocate(arena, starts);
    Rows rows = new Rows(result, starts);
    for (int u = 0; u < newIds.length; u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int r = rowOf[a.column(e)];
        if (r != NONE) {
          rows.append(r, newIds[u], a.value(e));
        }
      }
    }
    for (int r = 0; r < vertices.length; r++) {
      finish(rows, r, vertices[r]);
    }
    return result;
  }

  private int missingLoop(int v) {
    return selfLoops && SelfLoops.missing(a, v) ? 1 : 0;
  }

  private void finish(Rows rows, int r, int vertex) {
    if (missingLoop(vertex) > 0) {
      rows.append(r, newIds[vertex], 1f);
    }
    rows.sort(r);
  }

  private CsrMatrix allocate(Arena arena, long[] starts) {
    long nnz = starts[starts.length - 1];
    return CsrMatrix.wrap(
        starts.length - 1L,
        a.cols(),
        arena.allocateFrom(ValueLayout.JAVA_LONG, starts),
        arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT),
        a.values() == null ? null : arena.allocate(nnz * Float.BYTES, DenseMatrix.ALIGNMENT));
  }

  /// Rows that are filled in any order and then sorted.
  private static final class Rows {
    private final CsrMatrix matrix;
    private final MemorySegment columns;
    private final @Nullable MemorySegment values;
    private final long[] next;
    private long[] entries = new long[64];

    Rows(CsrMatrix matrix, long[] starts) {
      this.matrix = matrix;
      columns = matrix.columns();
      values = matrix.values();
      next = starts;
    }

    void append(int row, int column, float value) {
      long at = next[row]++;
      columns.set(INT, at * Integer.BYTES, column);
      if (values != null) {
        values.set(FLOAT, at * Float.BYTES, value);
      }
    }

    /// Sorts the columns of a row.
    void sort(int row) {
      long begin = matrix.rowPointer(row);
      int length = (int) matrix.rowLength(row);
      if (entries.length < length) {
        entries = new long[Math.max(length, 2 * entries.length)];
      }
      for (int k = 0; k < length; k++) {
        long bits = Integer.toUnsignedLong(Float.floatToRawIntBits(matrix.value(begin + k)));
        entries[k] = (long) matrix.column(begin + k) << 32 | bits;
      }
      Arrays.sort(entries, 0, length);
      for (int k = 0; k < length; k++) {
        columns.set(INT, (begin + k) * Integer.BYTES, (int) (entries[k] >>> 32));
        if (values != null) {
          values.set(FLOAT, (begin + k) * Float.BYTES, Float.intBitsToFloat((int) entries[k]));
        }
      }
    }
  }
}
