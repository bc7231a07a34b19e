package dev.gossamer.pruned.prune;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.MagnitudeKeys;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;

/// The magnitude threshold of each row or column of a matrix, if each keeps the same number of
/// elements (plus or minus one): all above it, and the first of those that are equal to it.
///
/// The [MagnitudeKeys] of one band of rows or columns are read and sorted at a time, in constant
/// memory of a few MB.
final class GroupThresholds {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// Elements of the groups that are looked at together, at most, if one group has not more.
  private static final int BAND = 1 << 20;

  private final ModelState state;
  private final ParameterLayout.Entry matrix;
  private final boolean byRow;
  private final int groups;
  private final int size;
  private final long removed;
  private final BitSet before;
  private final BitSet survivors = new BitSet();

  private GroupThresholds(
      ModelState state,
      ParameterLayout.Entry matrix,
      ComparisonGroup group,
      long removed,
      BitSet before) {
    this.state = state;
    this.matrix = matrix;
    this.removed = removed;
    this.before = before;
    byRow = group == ComparisonGroup.ROW;
    groups = byRow ? matrix.rows() : matrix.cols();
    size = byRow ? matrix.cols() : matrix.rows();
  }

  /// The survivors of a matrix.
  ///
  /// @param group rows or columns
  /// @param removed elements that the matrix has lost then
  /// @param before its survivors so far
  /// @throws IllegalArgumentException if a row or column has lost more already
  static BitSet survivors(
      ModelState state,
      ParameterLayout.Entry matrix,
      ComparisonGroup group,
      long removed,
      BitSet before) {
    GroupThresholds thresholds = new GroupThresholds(state, matrix, group, removed, before);
    thresholds.choose();
    BitSet bits = thresholds.survivors;
    if (bits.cardinality() != matrix.count() - removed) {
      throw new IllegalArgumentException(
          "pruning: %s: expected %d survivors, the same fraction of each %s, found %d"
              .formatted(
                  matrix.name(),
                  matrix.count() - removed,
                  group == ComparisonGroup.ROW ? "row" : "column",
                  bits.cardinality()));
    }
    return bits;
  }

  private void choose() {
    int band = Math.clamp(BAND / size, 1, groups);
    int[] keys = new int[band * size];
    try (Arena local = Arena.ofConfined()) {
      MemorySegment room =
          local.allocate((long) (byRow ? band * size : band) * Float.BYTES, DenseMatrix.ALIGNMENT);
      for (int first = 0; first < groups; first += band) {
        int count = Math.min(band, groups - first);
        read(first, count, keys, room);
        for (int g = 0; g < count; g++) {
          choose(first + g, Arrays.copyOfRange(keys, g * size, (g + 1) * size));
        }
      }
    }
  }

  /// Reads the keys of some groups, one group behind the other.
  private void read(int first, int count, int[] keys, MemorySegment room) {
    int lines = byRow ? 1 : matrix.rows();
    int length = byRow ? count * size : count;
    for (int line = 0; line < lines; line++) {
      int begin = byRow ? first * size : line * matrix.cols() + first;
      MemorySegment values = room.asSlice(0, (long) length * Float.BYTES);
      state.expand(matrix.name(), state.weights(), begin, begin + length, values);
      for (int i = 0; i < length; i++) {
        keys[byRow ? i : i * size + line] = MagnitudeKeys.of(values.getAtIndex(FLOAT, i));
      }
    }
  }

  /// Chooses the survivors of a group. Of equal ones the first survive.
  ///
  /// @param keys of its elements, 0 for one that has been pruned before
  private void choose(int group, int[] keys) {
    int kept = size - Math.toIntExact(removed / groups) - (group < removed % groups ? 1 : 0);
    if (kept == 0) {
      return;
    }
    int[] sorted = keys.clone();
    Arrays.sort(sorted);
    int threshold = sorted[size - kept];
    int ties = kept;
    for (int i = size - 1; i >= 0 && sorted[i] > threshold; i--) {
      ties--;
    }
    for (int i = 0; i < size; i++) {
      int element = byRow ? group * size + i : i * matrix.cols() + group;
      if (before.get(element) && (keys[i] > threshold || (keys[i] == threshold && ties-- > 0))) {
        survivors.set(element);
      }
    }
  }
}
