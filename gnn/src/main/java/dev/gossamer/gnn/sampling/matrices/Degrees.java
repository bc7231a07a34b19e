package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.matrix.RowLengths;

/// The in-degrees of a graph, for upper bounds. Immutable. Memory: 4 bytes for each degree up to
/// the largest.
public final class Degrees {
  private final int vertices;
  private final RowLengths ofRows;
  private final boolean undirected;

  /// Counts the degrees. Cost: two passes over the vertices.
  ///
  /// @param ofRows entries of each row of `Â`; borrowed here
  /// @param undirected whether `Â` is known to have the transpose of each entry
  public Degrees(int[] ofRows, boolean undirected) {
    vertices = ofRows.length;
    this.ofRows = new RowLengths(ofRows);
    this.undirected = undirected;
  }

  /// {@return whether the graph is known to be undirected}
  public boolean undirected() {
    return undirected;
  }

  /// {@return `n`}
  public int vertices() {
    return vertices;
  }

  /// {@return entries of all rows}
  public long sum() {
    return ofRows.sum();
  }

  /// {@return entries of the longest row; 0 if there are no rows}
  public int largest() {
    return ofRows.longest();
  }

  /// {@return maximum entries of a number of rows}
  ///
  /// @param rows number of rows
  public long sumOfLargest(long rows) {
    return ofRows.sumOfLongest(rows);
  }
}
