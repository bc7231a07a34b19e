package dev.gossamer.exchange;

import java.util.Arrays;

/// The distribution of `rows` rows in contiguous blocks, block `i` from `begin(i)` to `end(i)`.
/// Blocks may have different sizes and may be empty. Immutable.
public final class RowDistribution {
  private final int[] starts;

  private RowDistribution(int[] starts) {
    this.starts = starts;
  }

  /// {@return blocks as even as possible, the first `rows mod blocks` one row longer}
  ///
  /// @param rows number of rows
  /// @param blocks number of blocks
  /// @throws IllegalArgumentException if there are no blocks or the number of rows is negative
  public static RowDistribution even(int rows, int blocks) {
    if (blocks < 1 || rows < 0) {
      throw new IllegalArgumentException(
          "distribution: expected at least 1 block and 0 rows, found %d and %d"
              .formatted(blocks, rows));
    }
    int[] starts = new int[blocks + 1];
    for (int i = 0; i < blocks; i++) {
      starts[i + 1] = starts[i] + rows / blocks + (i < rows % blocks ? 1 : 0);
    }
    return new RowDistribution(starts);
  }

  /// {@return blocks of given sizes}
  ///
  /// @param counts rows of each block
  /// @throws IllegalArgumentException if there are no blocks or a count is negative
  /// @throws ArithmeticException if there are more than `2^31 - 1` rows
  public static RowDistribution ofCounts(int... counts) {
    if (counts.length < 1) {
      throw new IllegalArgumentException("distribution: expected at least 1 block, found 0");
    }
    int[] starts = new int[counts.length + 1];
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] < 0) {
        throw new IllegalArgumentException(
            "distribution: block %d has %d rows; expected at least 0".formatted(i, counts[i]));
      }
      starts[i + 1] = Math.addExact(starts[i], counts[i]);
    }
    return new RowDistribution(starts);
  }

  /// {@return number of blocks}
  public int blocks() {
    return starts.length - 1;
  }

  /// {@return rows of all blocks}
  public int rows() {
    return starts[starts.length - 1];
  }

  /// {@return first row of block `i`}
  ///
  /// @param i number of a block
  public int begin(int i) {
    return starts[i];
  }

  /// {@return the row after the last of block `i`}
  ///
  /// @param i number of a block
  public int end(int i) {
    return starts[i + 1];
  }

  /// {@return rows of block `i`}
  ///
  /// @param i number of a block
  public int count(int i) {
    return starts[i + 1] - starts[i];
  }

  /// {@return rows of the largest block}
  public int largest() {
    int largest = 0;
    for (int i = 0; i < blocks(); i++) {
      largest = Math.max(largest, count(i));
    }
    return largest;
  }

  /// {@return the block that has a row} Cost: `O(log blocks)`.
  ///
  /// @param row 0-based
  /// @throws IndexOutOfBoundsException if there is no such row
  public int owner(int row) {
    if (row < 0 || row >= rows()) {
      throw new IndexOutOfBoundsException(
          "distribution: expected a row in 0..%d, found %d".formatted(rows() - 1, row));
    }
    int low = 0;
    int high = blocks() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle] <= row) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowDistribution d && Arrays.equals(starts, d.starts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(starts);
  }

  /// Returns the starts of the blocks, as shown in error messages.
  @Override
  public String toString() {
    return "blocks from " + Arrays.toString(starts);
  }
}
