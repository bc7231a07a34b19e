package dev.gossamer.partition.level;

import java.util.Arrays;

/// Sums by key, for small numbers of keys: open addressing, with keys in order of first use.
public final class SparseSums {
  private int[] keys = new int[64];
  private long[] sums = new long[64];
  private int[] slots = new int[32];
  private int size;

  /// Creates empty sums.
  public SparseSums() {
    Arrays.fill(keys, -1);
  }

  /// Removes all keys and makes room for `expected` of them.
  ///
  /// @param expected maximum number of keys
  public void clear(int expected) {
    for (int i = 0; i < size; i++) {
      keys[slots[i]] = -1;
    }
    size = 0;
    if (2L * expected > keys.length && keys.length < 1 << 30) {
      int capacity = Integer.highestOneBit(Math.min(expected, (1 << 29) - 1)) << 2;
      keys = new int[capacity];
      Arrays.fill(keys, -1);
      sums = new long[capacity];
      slots = new int[capacity / 2];
    }
  }

  /// Adds to the sum of a key.
  ///
  /// @param key of the sum
  /// @param amount to add
  public void add(int key, long amount) {
    int mask = keys.length - 1;
    int slot = ((key * 0x9E3779B9) >>> 7) & mask;
    while (keys[slot] != key) {
      if (keys[slot] < 0) {
        keys[slot] = key;
        sums[slot] = 0;
        slots[size++] = slot;
        break;
      }
      slot = (slot + 1) & mask;
    }
    sums[slot] += amount;
  }

  /// {@return the number of keys since [#clear]}
  public int size() {
    return size;
  }

  /// {@return the `i`-th key}
  ///
  /// @param i position in `0..size() - 1`
  public int key(int i) {
    return keys[slots[i]];
  }

  /// {@return the sum of the `i`-th key}
  ///
  /// @param i position in `0..size() - 1`
  public long sum(int i) {
    return sums[slots[i]];
  }
}
