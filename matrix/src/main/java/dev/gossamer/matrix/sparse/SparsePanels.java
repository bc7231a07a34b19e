package dev.gossamer.matrix.sparse;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.memory.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/// A sparse matrix `A` of fixed pattern, `rows x inner`, as products `Y^T = A X^T` read it: cut
/// into panels of [#PANEL] columns, of each panel the entries row by row. The part of `X^T` that a
/// panel needs stays in the nearest caches while all rows go by.
///
/// Takes 6 bytes an entry, its column in the panel and a copy of its value, and 4 bytes for each
/// row of each panel.
final class SparsePanels {
  /// Columns of a panel. Of fewer, a row has so few entries that the ends of rows cost more than
  /// the first-level cache gains: 64 were a fifth slower.
  static final int PANEL = 256;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int rows;
  private final int inner;
  private final MemorySegment starts;
  private final MemorySegment ids;
  private final MemorySegment values;

  /// Values are zero.
  ///
  /// @param kept entries of a `k x n` matrix, counted row by row
  /// @param width `n`
  /// @param transposed whether `A` is the transpose of that matrix
  SparsePanels(Arena arena, int rows, int inner, BitSet kept, int width, boolean transposed) {
    this.rows = rows;
    this.inner = inner;
    long count = kept.cardinality();
    starts = arena.allocate(startBytes(rows, inner), DenseMatrix.ALIGNMENT);
    ids = arena.allocate(count * Character.BYTES, DenseMatrix.ALIGNMENT);
    values = arena.allocate(count * Float.BYTES, DenseMatrix.ALIGNMENT);
    int[] next = new int[Math.multiplyExact(panels(), rows) + 1];
    for (int e = kept.nextSetBit(0); e >= 0; e = kept.nextSetBit(e + 1)) {
      int row = transposed ? e % width : e / width;
      int column = transposed ? e / width : e % width;
      next[column / PANEL * rows + row + 1]++;
    }
    for (int i = 1; i < next.length; i++) {
      next[i] += next[i - 1];
    }
    MemorySegment.copy(next, 0, starts, INT, 0, next.length);
    for (int e = kept.nextSetBit(0); e >= 0; e = kept.nextSetBit(e + 1)) {
      int row = transposed ? e % width : e / width;
      int column = transposed ? e / width : e % width;
      int at = next[column / PANEL * rows + row]++;
      ids.set(CHAR, (long) at * Character.BYTES, (char) (column % PANEL));
    }
  }

  /// Bytes of off-heap memory, before it exists.
  static long bytes(int rows, int inner, long entries) {
    return startBytes(rows, inner) + entries * (Character.BYTES + Float.BYTES);
  }

  private static long startBytes(int rows, int inner) {
    return ((long) Math.ceilDiv(inner, PANEL) * rows + 1) * Integer.BYTES;
  }

  int rows() {
    return rows;
  }

  int inner() {
    return inner;
  }

  int panels() {
    return Math.ceilDiv(inner, PANEL);
  }

  /// Columns of a panel.
  int width(int panel) {
    return Math.min(PANEL, inner - panel * PANEL);
  }

  /// The first entry of a row in a panel; of the row after the last one, the panel's end.
  int start(int panel, int row) {
    return starts.get(INT, ((long) panel * rows + row) * Integer.BYTES);
  }

  /// The column of an entry in its panel.
  int id(int entry) {
    return ids.get(CHAR, (long) entry * Character.BYTES);
  }

  /// `uint16[entries]`: columns in their panels.
  MemorySegment ids() {
    return ids;
  }

  /// `float32[entries]`.
  MemorySegment values() {
    return values;
  }

  /// Copies columns and values of consecutive entries.
  void read(int first, int count, int[] toIds, float[] toValues) {
    long from = Memory.address(ids, (long) first * Character.BYTES, (long) count * Character.BYTES);
    for (int e = 0; e < count; e++) {
      toIds[e] = Memory.ALL.get(CHAR, Memory.at(from + (long) e * Character.BYTES));
    }
    MemorySegment.copy(values, FLOAT, (long) first * Float.BYTES, toValues, 0, count);
  }
}
