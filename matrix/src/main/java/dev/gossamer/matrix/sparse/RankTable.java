package dev.gossamer.matrix.sparse;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/// How many survivors there are before the positions `0, step, 2 step, ...` and before the end: so
/// that a [SurvivorIndex] need not count, or search, from the beginning.
final class RankTable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private final int step;
  private final MemorySegment ranks;

  /// @param elements of the parameter
  /// @param kept its survivors
  RankTable(Arena arena, int elements, int step, BitSet kept) {
    this.step = step;
    ranks = arena.allocate(bytes(elements, step), DenseMatrix.ALIGNMENT);
    int rank = 0;
    int counted = 0;
    for (long i = 0; i < ranks.byteSize() / Integer.BYTES; i++) {
      int position = (int) Math.min(elements, i * step);
      for (int p = kept.nextSetBit(counted); p >= 0 && p < position; p = kept.nextSetBit(p + 1)) {
        rank++;
      }
      counted = position;
      ranks.set(INT, i * Integer.BYTES, rank);
    }
  }

  static long bytes(long elements, int step) {
    return (elements / step + 2) * Integer.BYTES;
  }

  long bytes() {
    return ranks.byteSize();
  }

  /// Survivors before the last entry at or before a position.
  int floor(int position) {
    return ranks.get(INT, (long) (position / step) * Integer.BYTES);
  }

  /// Survivors before the first entry behind a position.
  int above(int position) {
    return ranks.get(INT, (long) (position / step + 1) * Integer.BYTES);
  }
}
