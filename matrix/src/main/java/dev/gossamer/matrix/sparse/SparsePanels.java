package dev.gossamer.matrix.sparse;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/// The pattern of a sparse matrix `A`, `rows x inner`, as products `Y^T = A X^T` read it: cut into
/// panels of [#PANEL] columns, of each panel the entries row by row. The part of `X^T` that a panel
/// needs stays in the nearest caches while all rows go by.
///
/// Takes a byte an entry, its column in the panel, and 4 bytes for each row of each panel.
final class SparsePanels {
  /// Columns of a panel, as many as a byte tells apart. Of fewer, a row has so few entries that the
  /// ends of rows cost more than the first-level cache gains.
  static final int PANEL = 256;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private final int panel;
  private final int rows;
  private final int inner;
  private final MemorySegment starts;
  private final MemorySegment ids;

  private SparsePanels(Arena arena, int panel, int rows, int inner, int[] counts) {
    this.panel = panel;
    this.rows = rows;
    this.inner = inner;
    for (int i = 1; i < counts.length; i++) {
      counts[i] = Math.addExact(counts[i], counts[i - 1]);
    }
    starts = arena.allocate((long) counts.length * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment.copy(counts, 0, starts, INT, 0, counts.length);
    ids = arena.allocate(counts[counts.length - 1], DenseMatrix.ALIGNMENT);
  }

  private static int[] counters(int panel, int rows, int inner) {
    return new int[Math.addExact(Math.multiplyExact(Math.ceilDiv(inner, panel), rows), 1)];
  }

  /// The pattern of a matrix.
  ///
  /// @param kept entries, counted row by row
  static SparsePanels of(Arena arena, int rows, int cols, BitSet kept) {
    return of(arena, PANEL, rows, cols, kept);
  }

  /// The pattern of a matrix in narrower panels.
  ///
  /// @param panel columns of a panel, at most [#PANEL]
  /// @param kept entries, counted row by row
  static SparsePanels of(Arena arena, int panel, int rows, int cols, BitSet kept) {
    int[] next = counters(panel, rows, cols);
    for (int e = kept.nextSetBit(0); e >= 0; e = kept.nextSetBit(e + 1)) {
      next[e % cols / panel * rows + e / cols + 1]++;
    }
    SparsePanels made = new SparsePanels(arena, panel, rows, cols, next);
    for (int e = kept.nextSetBit(0); e >= 0; e = kept.nextSetBit(e + 1)) {
      int at = next[e % cols / panel * rows + e / cols]++;
      made.ids.set(ValueLayout.JAVA_BYTE, at, (byte) (e % cols % panel));
    }
    return made;
  }

  /// An entry of a pattern and of its transpose.
  @FunctionalInterface
  interface Pair {
    /// @param entry of the pattern
    /// @param tile the first entry of those that share a panel with it in both
    /// @param transposed number of the same entry in the transpose
    void accept(int entry, int tile, int transposed);
  }

  /// The pattern of the transpose.
  ///
  /// @param pairs told of every entry
  SparsePanels transposed(Arena arena, Pair pairs) {
    int[] next = counters(panel, inner, rows);
    for (int q = 0; q < panels(); q++) {
      for (int i = 0; i < rows; i++) {
        for (int e = start(q, i); e < start(q, i + 1); e++) {
          next[i / panel * inner + q * panel + id(e) + 1]++;
        }
      }
    }
    SparsePanels made = new SparsePanels(arena, panel, inner, rows, next);
    for (int q = 0; q < panels(); q++) {
      for (int i = 0; i < rows; i++) {
        for (int e = start(q, i); e < start(q, i + 1); e++) {
          int at = next[i / panel * inner + q * panel + id(e)]++;
          made.ids.set(ValueLayout.JAVA_BYTE, at, (byte) (i % panel));
          pairs.accept(e, start(q, i / panel * panel), at);
        }
      }
    }
    return made;
  }

  /// Bytes of off-heap memory, before it exists.
  static long bytes(int rows, int inner, long entries) {
    return bytes(PANEL, rows, inner, entries);
  }

  /// Bytes of off-heap memory, before it exists.
  static long bytes(int panel, int rows, int inner, long entries) {
    return ((long) Math.ceilDiv(inner, panel) * rows + 1) * Integer.BYTES + entries;
  }

  int rows() {
    return rows;
  }

  int inner() {
    return inner;
  }

  int panels() {
    return Math.ceilDiv(inner, panel);
  }

  int entries() {
    return start(panels(), 0);
  }

  /// The first entry of a row in a panel; of the row after the last one, the panel's end.
  int start(int panel, int row) {
    return starts.get(INT, ((long) panel * rows + row) * Integer.BYTES);
  }

  /// The column of an entry in its panel.
  int id(int entry) {
    return Byte.toUnsignedInt(ids.get(ValueLayout.JAVA_BYTE, entry));
  }

  /// Entries of the rows `begin..end-1`, in all panels.
  int entries(int begin, int end) {
    int sum = 0;
    for (int p = 0; p < panels(); p++) {
      sum += start(p, end) - start(p, begin);
    }
    return sum;
  }

  /// Where [#start] of a row in a panel lies.
  long startAddress(int panel, int row) {
    return starts.address() + ((long) panel * rows + row) * Integer.BYTES;
  }

  /// `int32[panels rows + 1]`.
  MemorySegment starts() {
    return starts;
  }

  /// `uint8[entries]`: columns in their panels.
  MemorySegment ids() {
    return ids;
  }
}
