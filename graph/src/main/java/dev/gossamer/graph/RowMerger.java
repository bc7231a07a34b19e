package dev.gossamer.graph;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Sorts one row at a time and merges its repeated columns, on Java arrays that grow to the longest
/// row.
final class RowMerger {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final boolean weighted;
  private int[] ids = new int[1024];
  private float[] sums = new float[0];
  private long[] keys = new long[0];

  RowMerger(boolean weighted) {
    this.weighted = weighted;
    if (weighted) {
      sums = new float[ids.length];
      keys = new long[ids.length];
    }
  }

  /// Moves the merged entries `begin..end-1` to `at` (which is not after `begin`).
  ///
  /// @return the index after the last entry written
  long merge(MemorySegment columns, MemorySegment values, long begin, long end, long at) {
    int length = Math.toIntExact(end - begin);
    reserve(length);
    MemorySegment.copy(columns, INT, begin * Integer.BYTES, ids, 0, length);
    int kept;
    if (weighted) {
      kept = mergeWeighted(values, begin, length);
      MemorySegment.copy(sums, 0, values, FLOAT, at * Float.BYTES, kept);
    } else {
      Arrays.sort(ids, 0, length);
      kept = 0;
      for (int k = 0; k < length; k++) {
        if (k == 0 || ids[k] != ids[kept - 1]) {
          ids[kept++] = ids[k];
        }
      }
    }
    MemorySegment.copy(ids, 0, columns, INT, at * Integer.BYTES, kept);
    return at + kept;
  }

  /// Sorts by (column, bits of the weight), so that the sum of repeated columns does not depend on
  /// the order in which they were told.
  private int mergeWeighted(MemorySegment values, long begin, int length) {
    for (int k = 0; k < length; k++) {
      int bits = Float.floatToRawIntBits(values.getAtIndex(FLOAT, begin + k));
      keys[k] = (long) ids[k] << 32 | Integer.toUnsignedLong(bits);
    }
    Arrays.sort(keys, 0, length);
    int kept = 0;
    for (int k = 0; k < length; k++) {
      int id = (int) (keys[k] >>> 32);
      float weight = Float.intBitsToFloat((int) keys[k]);
      if (kept > 0 && ids[kept - 1] == id) {
        sums[kept - 1] += weight;
      } else {
        ids[kept] = id;
        sums[kept++] = weight;
      }
    }
    return kept;
  }

  private void reserve(int length) {
    if (ids.length < length) {
      int capacity = Math.max(length, ids.length * 2);
      ids = new int[capacity];
      if (weighted) {
        sums = new float[capacity];
        keys = new long[capacity];
      }
    }
  }
}
