package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.comm.Communicator;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/// The rows of a graph that this rank holds whole.
final class WholeAdjacency implements AdjacencyRows {
  private final CsrMatrix a;
  private final @Nullable Communicator sharers;
  private final Squares squares;
  private final int[] rowLengths;

  /// @param sharers other ranks that hold the same, and this one; null if there are none
  WholeAdjacency(CsrMatrix a, @Nullable Communicator sharers) {
    if (a.rows() != a.cols() || !a.isCanonical()) {
      throw new IllegalArgumentException(
          "sampling: the graph is %s; expected a square matrix with canonical rows".formatted(a));
    }
    this.a = a;
    this.sharers = sharers;
    squares = new Squares(a);
    rowLengths = new int[a.cols()];
    for (int v = 0; v < rowLengths.length; v++) {
      rowLengths[v] = (int) a.rowLength(v);
    }
  }

  @Override
  public int vertices() {
    return a.cols();
  }

  @Override
  public boolean isUndirected() {
    return a.withValues(null).isSymmetric();
  }

  @Override
  public @Nullable Communicator sharers() {
    return sharers;
  }

  @Override
  public int[] rowLengths() {
    return rowLengths;
  }

  @Override
  public SelectedRows select(Arena arena, int[] vertices) {
    return new SelectedRows(a, squares, vertices);
  }

  @Override
  public double[] columnSums(Term term) {
    double[] sums = new double[a.cols()];
    addTerms(a, 0, term, sums);
    return sums;
  }

  @Override
  public double[] sumsOfOthers(double[] x) {
    double[] sums = new double[a.cols()];
    addOthers(a, 0, x, sums);
    return sums;
  }

  /// Adds `x` of some rows to the sums of their columns, except the diagonal.
  ///
  /// @param first vertex of the first row
  static void addOthers(CsrMatrix a, int first, double[] x, double[] sums) {
    for (int i = 0; i < a.rows(); i++) {
      double own = x[first + i];
      long end = own == 0 ? 0 : a.rowPointer(i + 1L);
      for (long e = a.rowPointer(i); e < end; e++) {
        int u = a.column(e);
        if (u != first + i) {
          sums[u] += own;
        }
      }
    }
  }

  /// Adds the terms of some rows to the sums of their columns.
  ///
  /// @param first vertex of the first row
  static void addTerms(CsrMatrix a, int first, Term term, double[] sums) {
    for (int i = 0; i < a.rows(); i++) {
      int length = (int) a.rowLength(i);
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
        int u = a.column(e);
        double coefficient = (double) a.rowScale(i) * a.value(e) * a.columnScale(u);
        sums[u] += term.of(first + i, u, coefficient, length);
      }
    }
  }
}
