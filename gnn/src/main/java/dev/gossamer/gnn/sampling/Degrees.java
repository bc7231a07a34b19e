package dev.gossamer.gnn.sampling;

/// The in-degrees of a graph, as far as bounds go by them. Immutable. Memory: 4 bytes for each
/// degree up to the largest, beside the borrowed ones.
public final class Degrees {
  private final int[] ofRows;
  private final boolean undirected;
  private final int[] rowsOfDegree;
  private final long sum;

  /// Cost: a pass over the vertices.
  ///
  /// @param ofRows entries of each row of `Â`; borrowed
  /// @param undirected whether `Â` is known to have the transpose of each entry
  public Degrees(int[] ofRows, boolean undirected) {
    this.ofRows = ofRows;
    this.undirected = undirected;
    int largest = 0;
    long total = 0;
    for (int degree : ofRows) {
      largest = Math.max(largest, degree);
      total += degree;
    }
    sum = total;
    rowsOfDegree = new int[largest + 1];
    for (int degree : ofRows) {
      rowsOfDegree[degree]++;
    }
  }

  /// {@return whether the graph is known to be undirected}
  public boolean undirected() {
    return undirected;
  }

  /// {@return `n`}
  public int vertices() {
    return ofRows.length;
  }

  /// {@return entries of all rows}
  public long sum() {
    return sum;
  }

  /// {@return entries of the longest row; 0 if there are no rows}
  public int largest() {
    return rowsOfDegree.length - 1;
  }

  /// {@return entries that this number of rows have at most}
  ///
  /// @param rows number of rows
  public long sumOfLargest(long rows) {
    long entries = 0;
    long left = rows;
    for (int degree = largest(); degree > 0 && left > 0; degree--) {
      long taken = Math.min(left, rowsOfDegree[degree]);
      entries += taken * degree;
      left -= taken;
    }
    return entries;
  }

  /// {@return entries that this number of consecutive rows have at most} Cost: a pass over the
  /// vertices.
  ///
  /// @param rows number of rows
  public long largestSum(int rows) {
    long entries = 0;
    long largest = 0;
    for (int v = 0; v < ofRows.length; v++) {
      entries += ofRows[v] - (v < rows ? 0 : ofRows[v - rows]);
      largest = Math.max(largest, entries);
    }
    return largest;
  }
}
