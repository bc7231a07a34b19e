package dev.gossamer.graph;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Entries of a matrix in any order, which are sorted and merged by blocks of rows: they are
/// divided into rows by counting, and each row is sorted in a Java array.
final class Entries {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final MemorySegment rows;
  private final MemorySegment columns;
  private final MemorySegment values;
  private final boolean weighted;

  /// @param rows of each entry
  /// @param columns of each entry
  /// @param values of each entry; of no size without weights
  Entries(MemorySegment rows, MemorySegment columns, MemorySegment values, boolean weighted) {
    this.rows = rows;
    this.columns = columns;
    this.values = values;
    this.weighted = weighted;
  }

  void set(long at, int row, int column, float value) {
    rows.setAtIndex(INT, at, row);
    columns.setAtIndex(INT, at, column);
    if (weighted) {
      values.setAtIndex(FLOAT, at, value);
    }
  }

  /// Sorts the entries of a block by row and column, and adds those of the same place. Those that
  /// are left move to `begin`.
  ///
  /// @param firstRow of the block
  /// @param endRow after its last row
  /// @param begin its first entry
  /// @param end after its last entry
  /// @param ends receives, for each row of the block, the entries up to its end
  /// @return entries that are left
  long merge(int firstRow, int endRow, long begin, long end, MemorySegment ends) {
    int length = Math.toIntExact(end - begin);
    int[] bounds = bounds(firstRow, endRow, begin, length);
    return weighted
        ? mergeWeighted(firstRow, bounds, begin, length, ends)
        : mergePattern(firstRow, bounds, begin, length, ends);
  }

  /// The start of each row in the sorted entries, and the number of entries; from the second
  /// element on.
  private int[] bounds(int firstRow, int endRow, long begin, int length) {
    int[] bounds = new int[endRow - firstRow + 2];
    for (int k = 0; k < length; k++) {
      bounds[rows.getAtIndex(INT, begin + k) - firstRow + 2]++;
    }
    for (int r = 2; r < bounds.length; r++) {
      bounds[r] += bounds[r - 1];
    }
    return bounds;
  }

  private long mergePattern(
      int firstRow, int[] bounds, long begin, int length, MemorySegment ends) {
    int[] ids = new int[length];
    for (int k = 0; k < length; k++) {
      int row = rows.getAtIndex(INT, begin + k) - firstRow;
      ids[bounds[row + 1]++] = columns.getAtIndex(INT, begin + k);
    }
    int kept = 0;
    for (int r = 0; r < bounds.length - 2; r++) {
      Arrays.sort(ids, bounds[r], bounds[r + 1]);
      int first = kept;
      for (int k = bounds[r]; k < bounds[r + 1]; k++) {
        if (kept == first || ids[k] != ids[kept - 1]) {
          ids[kept++] = ids[k];
        }
      }
      ends.setAtIndex(LONG, (long) firstRow + r, kept);
    }
    MemorySegment.copy(ids, 0, columns, INT, begin * Integer.BYTES, kept);
    return kept;
  }

  /// Sorts by (column, bits of the weight), so that the sum of repeated columns does not depend on
  /// the order in which they were told.
  private long mergeWeighted(
      int firstRow, int[] bounds, long begin, int length, MemorySegment ends) {
    long[] keys = new long[length];
    for (int k = 0; k < length; k++) {
      int row = rows.getAtIndex(INT, begin + k) - firstRow;
      int bits = Float.floatToRawIntBits(values.getAtIndex(FLOAT, begin + k));
      keys[bounds[row + 1]++] =
          (long) columns.getAtIndex(INT, begin + k) << 32 | Integer.toUnsignedLong(bits);
    }
    long kept = begin;
    for (int r = 0; r < bounds.length - 2; r++) {
      Arrays.sort(keys, bounds[r], bounds[r + 1]);
      for (int k = bounds[r]; k < bounds[r + 1]; ) {
        int id = (int) (keys[k] >>> 32);
        float sum = Float.intBitsToFloat((int) keys[k++]);
        for (; k < bounds[r + 1] && (int) (keys[k] >>> 32) == id; k++) {
          sum += Float.intBitsToFloat((int) keys[k]);
        }
        columns.setAtIndex(INT, kept, id);
        values.setAtIndex(FLOAT, kept++, sum);
      }
      ends.setAtIndex(LONG, (long) firstRow + r, kept - begin);
    }
    return kept - begin;
  }
}
