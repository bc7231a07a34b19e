package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;

/// The probabilities that vertices of an undirected graph are on a walk `w_0, w_1, ..` of one or
/// two steps from a uniform root. Exact: GraphSAINT divides by these numbers, and dividing by
/// counts is biased.
///
/// With `d_v` neighbours, and `S_v = sum 1 / d_a` over the neighbours `a` of `v`, a walk of two
/// steps is at `v`, for the first time, in step 0, 1 or 2:
///
/// ```
/// n t_v = 1 + sum_{a ~ v, a != v} 1 / d_a + sum_{b ~ v, b != v} (S_b - 1 / d_v) / d_b
/// ```
///
/// It contains both ends of an edge if they are consecutive from the start, consecutive after
/// another vertex, or have a common neighbour between them:
///
/// ```
/// n t_uv = 1 / d_u + 1 / d_v + (S_u - 1 / d_v) / d_u + (S_v - 1 / d_u) / d_v
///        + (1 / d_u + 1 / d_v) sum_{b ~ u, b ~ v, b != u, b != v} 1 / d_b
/// ```
///
/// Since the graph is undirected, all of this is computed from rows. For one step only the first
/// two terms remain. Memory: 16 bytes per vertex; common neighbours are found on demand.
final class WalkProbabilities {
  /// Maximum length of walks.
  static final int LONGEST = 2;

  /// How much longer a row must be for a search in it to be faster than going through it.
  private static final int SEARCHED = 16;

  private final int length;
  private final int[] degrees;

  /// `S_v`.
  private final double[] sums;

  private final double[] single;

  /// Collective.
  ///
  /// @param a all rows of an undirected graph; its degrees are borrowed
  /// @param length steps of a walk, 1 or 2
  WalkProbabilities(AdjacencyRows a, int length) {
    this.length = length;
    degrees = a.rowLengths();
    sums = a.columnSums((row, column, coefficient, degree) -> 1.0 / degree);
    single =
        a.columnSums((row, column, coefficient, degree) -> {
          double afterAnother = length == 1 ? 0 : sums[row] - 1.0 / degrees[column];
          return row == column ? 0 : (1 + afterAnother) / degree;
        });
    for (int v = 0; v < single.length; v++) {
      single[v] = (1 + single[v]) / single.length;
    }
  }

  /// Returns the bytes of an instance.
  ///
  /// @param n vertices
  static long bytes(int n) {
    return 2L * Double.BYTES * n;
  }

  /// Returns `t_v` of each vertex. Borrowed.
  double[] single() {
    return single;
  }

  /// Returns `t_uv` of an edge. Cost: the neighbours of both, or of the one with far fewer.
  ///
  /// @param rows of both, and perhaps of others
  /// @param vertices vertex of each row
  /// @param i number of one row
  /// @param j number of the other
  double both(SelectedRows rows, int[] vertices, int i, int j) {
    int u = vertices[i];
    int v = vertices[j];
    double fromU = 1.0 / degrees[u];
    double fromV = 1.0 / degrees[v];
    double times = fromU + fromV;
    if (length > 1) {
      times +=
          (sums[u] - fromV) * fromU
              + (sums[v] - fromU) * fromV
              + between(rows, vertices, i, j) * (fromU + fromV);
    }
    return times / single.length;
  }

  private double between(SelectedRows rows, int[] vertices, int i, int j) {
    if (degrees[vertices[i]] > degrees[vertices[j]]) {
      return between(rows, vertices, j, i);
    }
    int u = vertices[i];
    int v = vertices[j];
    boolean searches = degrees[v] > SEARCHED * (long) degrees[u];
    double sum = 0;
    long k = rows.begin(j);
    for (long e = rows.begin(i); e < rows.end(i); e++) {
      int b = rows.matrix().column(e);
      boolean common;
      if (searches) {
        common = rows.has(j, b);
      } else {
        while (k < rows.end(j) && rows.matrix().column(k) < b) {
          k++;
        }
        common = k < rows.end(j) && rows.matrix().column(k) == b;
      }
      sum += common && b != u && b != v ? 1.0 / degrees[b] : 0;
    }
    return sum;
  }
}
