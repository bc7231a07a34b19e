package dev.gossamer.pruned.prune;

import java.util.function.IntToLongFunction;

/// The magnitude down to which elements survive so that exactly a given number of a set does: all
/// elements above it, and the first ones that are equal to it, in the order of the set.
///
/// @param key the magnitude as [dev.gossamer.matrix.dense.MagnitudeKeys] has it
/// @param ties elements of just this magnitude that survive
public record GlobalThreshold(int key, long ties) {
  /// Finds it by bisection, in 32 counts at most. The set may be spread over ranks, if counts are
  /// summed over them; then all ranks find the same.
  ///
  /// @param kept elements that are to survive, at most as many as there are
  /// @param countAtLeast how many elements have at least a given key
  /// @return the threshold
  /// @throws IllegalArgumentException if there are fewer elements
  public static GlobalThreshold find(long kept, IntToLongFunction countAtLeast) {
    long all = countAtLeast.applyAsLong(0);
    if (kept > all || kept < 0) {
      throw new IllegalArgumentException(
          "threshold: expected at most %d survivors, found %d".formatted(all, kept));
    }
    if (kept == 0) {
      return new GlobalThreshold(Integer.MAX_VALUE, 0);
    }
    // At least `kept` elements reach `low`, and fewer reach `high`.
    int low = 0;
    int high = Integer.MAX_VALUE;
    long above = 0;
    while (high - low > 1) {
      int middle = low + (high - low) / 2;
      long count = countAtLeast.applyAsLong(middle);
      if (count >= kept) {
        low = middle;
      } else {
        high = middle;
        above = count;
      }
    }
    return new GlobalThreshold(low, kept - above);
  }
}
