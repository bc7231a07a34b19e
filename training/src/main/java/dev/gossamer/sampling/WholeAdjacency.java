package dev.gossamer.sampling;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.kernel.Spgemm;

/// The rows of a graph that this rank holds whole.
final class WholeAdjacency implements AdjacencyRows {
  private final CsrMatrix a;
  private final Spgemm paths;
  private final int[] rowLengths;

  WholeAdjacency(CsrMatrix a) {
    if (a.rows() != a.cols() || !a.isCanonical()) {
      throw new IllegalArgumentException(
          "sampling: the graph is %s; expected a square matrix with canonical rows".formatted(a));
    }
    this.a = a;
    paths = new Spgemm(a.withValues(null).withScales(null, null));
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
  public int[] rowLengths() {
    return rowLengths;
  }

  @Override
  public SelectedRows select(int[] vertices) {
    return new SelectedRows(a, paths, vertices);
  }

  @Override
  public double[] columnSums(Term term) {
    double[] sums = new double[a.cols()];
    SelectedRows all = new SelectedRows(a, paths, new int[0]);
    for (int v = 0; v < sums.length; v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        int u = a.column(e);
        double coefficient = (double) all.rowScale(v) * a.value(e) * all.columnScale(u);
        sums[u] += term.of(v, u, coefficient, rowLengths[v]);
      }
    }
    return sums;
  }
}
