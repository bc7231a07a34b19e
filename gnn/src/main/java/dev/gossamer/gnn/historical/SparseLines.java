package dev.gossamer.gnn.historical;

import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// Lines of sparse rows, each with room for the longest. On the way rows are as long as they are:
/// the lengths of all, then all columns, then all values if there are any.
final class SparseLines implements CacheLines {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private final int width;
  private final int longest;
  private final MemorySegment lengths;
  private final MemorySegment columns;
  private final @Nullable MemorySegment values;

  /// @param arena shared, owner of all lines
  /// @param width columns of a row
  /// @param longest entries of a row, at most
  /// @param valued whether entries are others than ones
  SparseLines(Arena arena, int lines, int width, int longest, boolean valued) {
    this.width = width;
    this.longest = longest;
    long entries = (long) lines * longest;
    lengths = arena.allocate((long) lines * Integer.BYTES, DenseMatrix.ALIGNMENT);
    columns = arena.allocate(entries * Integer.BYTES, DenseMatrix.ALIGNMENT);
    values = valued ? arena.allocate(entries * Float.BYTES, DenseMatrix.ALIGNMENT) : null;
  }

  static long bytes(long lines, int longest, boolean valued) {
    return lines * (Integer.BYTES + longest * (valued ? 8L : 4L));
  }

  private static CsrMatrix sparse(Features rows) {
    if (rows instanceof Features.Sparse sparse) {
      return sparse.x();
    }
    throw new IllegalArgumentException("cache: expected sparse rows, found " + rows);
  }

  @Override
  public long packedBytes(Features rows, int[] at) {
    CsrMatrix x = sparse(rows);
    long entries = 0;
    for (int row : at) {
      entries += x.rowLength(row);
    }
    return (long) at.length * Integer.BYTES + entries * FetchedRows.entryBytes(x);
  }

  @Override
  public void pack(Features rows, int[] at, MemorySegment to, Workers workers) {
    CsrMatrix x = sparse(rows);
    long head = (long) at.length * Integer.BYTES;
    long all = (to.byteSize() - head) / FetchedRows.entryBytes(x) * Integer.BYTES;
    long next = head;
    for (int i = 0; i < at.length; i++) {
      long from = x.rowPointer(at[i]) * Integer.BYTES;
      long bytes = x.rowLength(at[i]) * Integer.BYTES;
      to.setAtIndex(INT, i, (int) x.rowLength(at[i]));
      MemorySegment.copy(x.columns(), from, to, next, bytes);
      if (x.values() != null) {
        MemorySegment.copy(x.values(), from, to, next + all, bytes);
      }
      next += bytes;
    }
  }

  @Override
  public void put(MemorySegment packed, int count, int[] to, Workers workers) {
    long head = (long) count * Integer.BYTES;
    long all = (packed.byteSize() - head) / (values == null ? 1 : 2);
    long next = head;
    for (int i = 0; i < to.length; i++) {
      int length = packed.getAtIndex(INT, i);
      long bytes = (long) length * Integer.BYTES;
      lengths.setAtIndex(INT, to[i], length);
      MemorySegment.copy(packed, next, columns, offset(to[i]), bytes);
      if (values != null) {
        MemorySegment.copy(packed, next + all, values, offset(to[i]), bytes);
      }
      next += bytes;
    }
  }

  /// Copies of lines.
  ///
  /// @param arena owner of the copies
  CsrMatrix load(Arena arena, int[] from) {
    MemorySegment pointers = arena.allocate((from.length + 1L) * Long.BYTES, Long.BYTES);
    long nnz = 0;
    for (int i = 0; i < from.length; i++) {
      nnz += lengths.getAtIndex(INT, from[i]);
      pointers.setAtIndex(LONG, i + 1L, nnz);
    }
    MemorySegment ids = arena.allocate(nnz * Integer.BYTES, Integer.BYTES);
    MemorySegment floats = values == null ? null : arena.allocate(nnz * Float.BYTES, Float.BYTES);
    for (int i = 0; i < from.length; i++) {
      long to = pointers.getAtIndex(LONG, i) * Integer.BYTES;
      long bytes = (long) lengths.getAtIndex(INT, from[i]) * Integer.BYTES;
      MemorySegment.copy(columns, offset(from[i]), ids, to, bytes);
      if (values != null && floats != null) {
        MemorySegment.copy(values, offset(from[i]), floats, to, bytes);
      }
    }
    return CsrMatrix.wrap(from.length, width, pointers, ids, floats);
  }

  private long offset(int line) {
    return (long) line * longest * Integer.BYTES;
  }
}
