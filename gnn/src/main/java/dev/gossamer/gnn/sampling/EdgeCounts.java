package dev.gossamer.gnn.sampling;

/// How often edges have occurred: a hash table with open addresses, 12 bytes a slot, at most half
/// full.
final class EdgeCounts {
  private static final int FIRST_SLOTS = 1 << 10;

  private long[] keys = new long[FIRST_SLOTS];
  private int[] counts = new int[FIRST_SLOTS];
  private int size;

  /// Bytes of the table of this number of edges, at most: a table that has just grown is a quarter
  /// full.
  static long bytes(long edges) {
    return (FIRST_SLOTS + 4 * edges) * (Long.BYTES + Integer.BYTES);
  }

  void add(int row, int column) {
    if (2 * size >= keys.length) {
      grow();
    }
    int slot = slot(key(row, column));
    if (counts[slot] == 0) {
      keys[slot] = key(row, column);
      size++;
    }
    counts[slot]++;
  }

  int count(int row, int column) {
    return counts[slot(key(row, column))];
  }

  private static long key(int row, int column) {
    return ((long) row << 32) | column;
  }

  /// The slot of an edge, or the free one where it belongs.
  private int slot(long key) {
    int shift = Long.numberOfLeadingZeros(keys.length) + 1;
    int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> shift);
    while (counts[slot] > 0 && keys[slot] != key) {
      slot = slot + 1 & keys.length - 1;
    }
    return slot;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldCounts = counts;
    keys = new long[Math.multiplyExact(2, oldKeys.length)];
    counts = new int[keys.length];
    for (int k = 0; k < oldKeys.length; k++) {
      if (oldCounts[k] > 0) {
        int slot = slot(oldKeys[k]);
        keys[slot] = oldKeys[k];
        counts[slot] = oldCounts[k];
      }
    }
  }
}
