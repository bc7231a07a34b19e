package dev.gossamer.pruned.prune;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.MagnitudeKeys;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/// For each row or each column of a matrix the magnitude down to which its elements survive, if
/// each keeps the same number (one more or less where it does not divide): all above it, and of
/// those that have it the first few.
///
/// Found digit by digit of the [MagnitudeKeys] (radix selection) in four sweeps over the matrix,
/// with a histogram of 1 KiB for each row or column.
final class GroupThresholds {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
  private static final int DIGIT = 8;
  private static final int DIGITS = 1 << DIGIT;

  /// Elements that a sweep looks at together.
  private static final int BLOCK = 1 << 16;

  /// What a sweep does with an element.
  @FunctionalInterface
  private interface Visitor {
    /// @param element counted in the flattened matrix
    /// @param key 0 for one that has been pruned before
    void visit(int element, int group, int key);
  }

  private final ModelState state;
  private final ParameterLayout.Entry matrix;
  private final boolean byRow;

  /// Thresholds of the groups.
  private final int[] keys;

  /// Elements at the threshold that survive in each group.
  private final int[] ties;

  /// @param group rows or columns
  /// @param removed elements that the matrix loses
  private GroupThresholds(
      ModelState state, ParameterLayout.Entry matrix, ComparisonGroup group, long removed) {
    this.state = state;
    this.matrix = matrix;
    byRow = group == ComparisonGroup.ROW;
    int groups = byRow ? matrix.rows() : matrix.cols();
    int size = byRow ? matrix.cols() : matrix.rows();
    keys = new int[groups];
    ties = new int[groups];
    for (int g = 0; g < groups; g++) {
      ties[g] = size - Math.toIntExact(removed / groups) - (g < removed % groups ? 1 : 0);
    }
    for (int shift = Integer.SIZE - DIGIT; shift >= 0; shift -= DIGIT) {
      addDigit(shift);
    }
  }

  /// The survivors of a matrix.
  ///
  /// @param before its survivors so far
  /// @param removed elements that it has lost then
  /// @throws IllegalArgumentException if a row or column has lost more already
  static BitSet survivors(
      ModelState state,
      ParameterLayout.Entry matrix,
      ComparisonGroup group,
      long removed,
      BitSet before) {
    BitSet bits = new GroupThresholds(state, matrix, group, removed).applied(before);
    if (bits.cardinality() != matrix.count() - removed) {
      throw new IllegalArgumentException(
          "pruning: %s: expected %d survivors, the same share of each %s, found %d"
              .formatted(
                  matrix.name(),
                  matrix.count() - removed,
                  group == ComparisonGroup.ROW ? "row" : "column",
                  bits.cardinality()));
    }
    return bits;
  }

  /// Finds the next digit of each threshold; what is left of [#ties] are then those to take among
  /// the elements that begin with the digits so far.
  private void addDigit(int shift) {
    int[] histogram = new int[keys.length * DIGITS];
    sweep((element, group, key) -> {
      // In two shifts, for one by 32 would be none.
      if ((key ^ keys[group]) >>> shift >>> DIGIT == 0) {
        histogram[group * DIGITS + (key >>> shift & DIGITS - 1)]++;
      }
    });
    for (int g = 0; g < keys.length; g++) {
      int digit = Integer.MAX_VALUE >>> shift & DIGITS - 1;
      while (digit > 0 && histogram[g * DIGITS + digit] < ties[g]) {
        ties[g] -= histogram[g * DIGITS + digit];
        digit--;
      }
      keys[g] |= digit << shift;
    }
  }

  private BitSet applied(BitSet before) {
    BitSet bits = new BitSet();
    int[] left = ties.clone();
    sweep((element, group, key) -> {
      if (before.get(element) && (key > keys[group] || (key == keys[group] && left[group]-- > 0))) {
        bits.set(element);
      }
    });
    return bits;
  }

  private void sweep(Visitor visitor) {
    int count = Math.toIntExact(matrix.count());
    int cols = matrix.cols();
    try (Arena local = Arena.ofConfined()) {
      MemorySegment room = local.allocate((long) BLOCK * Float.BYTES, DenseMatrix.ALIGNMENT);
      for (int begin = 0; begin < count; begin += BLOCK) {
        int n = Math.min(BLOCK, count - begin);
        MemorySegment values = room.asSlice(0, (long) n * Float.BYTES);
        state.expand(matrix.name(), state.weights(), begin, begin + n, values);
        for (int i = 0; i < n; i++) {
          int element = begin + i;
          int group = byRow ? element / cols : element % cols;
          visitor.visit(element, group, MagnitudeKeys.of(values.getAtIndex(FLOAT, i)));
        }
      }
    }
  }
}
