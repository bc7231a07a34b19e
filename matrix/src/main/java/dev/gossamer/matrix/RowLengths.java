package dev.gossamer.matrix;

/// The distribution of row lengths of a sparse matrix, for bounds of sizes. Immutable. Memory: 4
/// bytes for each length up to the longest.
public final class RowLengths {
  private final int[] rowsOfLength;
  private final long sum;

  /// Counts rows by length. Cost: two passes over the rows.
  ///
  /// @param ofRows number of entries of each row; not kept
  public RowLengths(int[] ofRows) {
    int longest = 0;
    long total = 0;
    for (int length : ofRows) {
      longest = Math.max(longest, length);
      total += length;
    }
    sum = total;
    rowsOfLength = new int[longest + 1];
    for (int length : ofRows) {
      rowsOfLength[length]++;
    }
  }

  /// {@return the number of entries of all rows}
  public long sum() {
    return sum;
  }

  /// {@return the number of entries of the longest row; 0 if there are no rows}
  public int longest() {
    return rowsOfLength.length - 1;
  }

  /// {@return the maximum number of entries of this number of rows} Cost: `O(longest)`.
  ///
  /// @param rows number of rows
  public long sumOfLongest(long rows) {
    long entries = 0;
    long left = rows;
    for (int length = longest(); length > 0 && left > 0; length--) {
      long taken = Math.min(left, rowsOfLength[length]);
      entries += taken * length;
      left -= taken;
    }
    return entries;
  }
}
