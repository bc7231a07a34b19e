package dev.gossamer.exchange;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Divides the columns of block rows among tiles and renumbers them in each, so that a product of a
/// tile needs no search. Used for two matrices with the same columns: `Â` and, if it has the same
/// pattern, `Â^T`.
final class ColumnTiles {
  /// No tile has this column.
  private static final int NONE = -1;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int[] tileOf;
  private final int[] idIn;
  private final int[] widths;

  /// @param columns of the block rows
  /// @param tiles number of tiles
  ColumnTiles(int columns, int tiles) {
    tileOf = new int[columns];
    Arrays.fill(tileOf, NONE);
    idIn = new int[columns];
    widths = new int[tiles];
  }

  /// Appends a column to a tile.
  void add(int tile, int column) {
    tileOf[column] = tile;
    idIn[column] = widths[tile]++;
  }

  /// Appends the columns `begin..end-1` to a tile.
  void add(int tile, int begin, int end) {
    for (int column = begin; column < end; column++) {
      add(tile, column);
    }
  }

  /// Returns the entries of each tile, with values and without scales. Cost: two passes over the
  /// entries and `tiles x rows` row pointers.
  CsrMatrix[] entries(Arena arena, CsrMatrix block) {
    int tiles = widths.length;
    MemorySegment[] pointers = pointers(arena, block);
    MemorySegment[] columns = new MemorySegment[tiles];
    @Nullable MemorySegment[] values = new MemorySegment[tiles];
    for (int t = 0; t < tiles; t++) {
      long nnz = pointers[t].get(LONG, block.rows() * Long.BYTES);
      columns[t] = arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT);
      if (block.values() != null) {
        values[t] = arena.allocate(nnz * Float.BYTES, DenseMatrix.ALIGNMENT);
      }
    }
    long[] next = new long[tiles];
    for (long e = 0; e < block.nnz(); e++) {
      int t = tileOf[block.column(e)];
      if (t != NONE) {
        columns[t].set(INT, next[t] * Integer.BYTES, idIn[block.column(e)]);
        MemorySegment target = values[t];
        if (target != null) {
          target.set(FLOAT, next[t] * Float.BYTES, block.value(e));
        }
        next[t]++;
      }
    }
    CsrMatrix[] result = new CsrMatrix[tiles];
    for (int t = 0; t < tiles; t++) {
      result[t] = CsrMatrix.wrap(block.rows(), widths[t], pointers[t], columns[t], values[t]);
    }
    return result;
  }

  private MemorySegment[] pointers(Arena arena, CsrMatrix block) {
    int tiles = widths.length;
    MemorySegment[] pointers = new MemorySegment[tiles];
    for (int t = 0; t < tiles; t++) {
      pointers[t] = arena.allocate((block.rows() + 1) * Long.BYTES, Long.BYTES);
    }
    long[] counts = new long[tiles];
    for (long row = 0; row < block.rows(); row++) {
      for (long e = block.rowPointer(row); e < block.rowPointer(row + 1); e++) {
        int t = tileOf[block.column(e)];
        if (t != NONE) {
          counts[t]++;
        }
      }
      for (int t = 0; t < tiles; t++) {
        pointers[t].set(LONG, (row + 1) * Long.BYTES, counts[t]);
      }
    }
    return pointers;
  }

  /// Returns the same entries with the scales of the block rows.
  CsrMatrix[] scaled(Arena arena, CsrMatrix[] entries, CsrMatrix block) {
    @Nullable MemorySegment[] scales = new MemorySegment[widths.length];
    MemorySegment scale = block.columnScale();
    if (scale != null) {
      for (int t = 0; t < widths.length; t++) {
        scales[t] = arena.allocate((long) widths[t] * Float.BYTES, DenseMatrix.ALIGNMENT);
      }
      for (int column = 0; column < tileOf.length; column++) {
        MemorySegment target = tileOf[column] == NONE ? null : scales[tileOf[column]];
        if (target != null) {
          float s = scale.get(FLOAT, (long) column * Float.BYTES);
          target.set(FLOAT, (long) idIn[column] * Float.BYTES, s);
        }
      }
    }
    MemorySegment rowScale = copy(arena, block.rowScale());
    CsrMatrix[] result = new CsrMatrix[widths.length];
    for (int t = 0; t < widths.length; t++) {
      result[t] = entries[t].withScales(rowScale, scales[t]);
    }
    return result;
  }

  /// Returns the columns of each tile, in the order of their numbers.
  int[][] columns() {
    int[][] columns = new int[widths.length][];
    Arrays.setAll(columns, t -> new int[widths[t]]);
    for (int column = 0; column < tileOf.length; column++) {
      if (tileOf[column] != NONE) {
        columns[tileOf[column]][idIn[column]] = column;
      }
    }
    return columns;
  }

  private static @Nullable MemorySegment copy(Arena arena, @Nullable MemorySegment scale) {
    return scale == null
        ? null
        : arena.allocate(scale.byteSize(), DenseMatrix.ALIGNMENT).copyFrom(scale);
  }
}
