package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;

/// Only the rows of one rank's own vertices.
final class OwnRows implements AdjacencyRows {
  private final int first;
  private final CsrMatrix own;
  private final Squares squares;
  private final int[] rowLengths;

  OwnRows(int first, CsrMatrix own) {
    if (!own.isCanonical()) {
      throw new IllegalArgumentException(
          "sampling: the block is %s; expected canonical rows".formatted(own));
    }
    this.first = first;
    this.own = own;
    squares = new Squares(own);
    rowLengths = new int[own.cols()];
    for (int i = 0; i < own.rows(); i++) {
      rowLengths[first + i] = (int) own.rowLength(i);
    }
  }

  @Override
  public int vertices() {
    return own.cols();
  }

  @Override
  public int begin() {
    return first;
  }

  @Override
  public int end() {
    return Math.toIntExact(first + own.rows());
  }

  @Override
  public int[] rowLengths() {
    return rowLengths;
  }

  /// Local.
  ///
  /// @throws IndexOutOfBoundsException if a vertex is remote
  @Override
  public SelectedRows select(Arena arena, int[] vertices) {
    return new SelectedRows(own, squares, Arrays.stream(vertices).map(v -> v - first).toArray());
  }

  @Override
  public double[] columnSums(Term term) {
    double[] sums = new double[own.cols()];
    WholeAdjacency.addTerms(own, first, term, sums);
    return sums;
  }

  @Override
  public double[] sumsOfOthers(double[] x) {
    double[] sums = new double[own.cols()];
    WholeAdjacency.addOthers(own, first, x, sums);
    return sums;
  }
}
