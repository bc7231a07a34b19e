package dev.gossamer.pruned.prune;

import java.util.function.IntToLongFunction;

/// The magnitude threshold at which exactly a given number of elements of a set survive: all
/// elements above it, and the first of those that are equal to it, in the order of the set.
///
/// @param key the magnitude, as encoded by [dev.gossamer.matrix.dense.MagnitudeKeys]
/// @param ties number of elements of exactly this magnitude that survive
public record GlobalThreshold(int key, long ties) {
  /// Finds the threshold by bisection, in at most 32 counts. The set may be distributed over ranks
  /// if counts are summed over them; then all ranks get the same result.
  ///
  /// @param kept number of elements that survive
  /// @param countAtLeast counts elements with at least a given key
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
