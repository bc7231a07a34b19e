package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.stream.IntStream;

/// How probable it is that the vertices of a graph with edges in both directions are on one walk
/// `w_0, w_1, ..` of one or two steps from a uniform root. Exact: GraphSAINT divides by these
/// numbers, and what is divided by a count is biased.
///
/// With `d_v` neighbours, and `S_v = sum 1 / d_a` over the neighbours `a` of `v`, a walk of two
/// steps is at `v`, for the first time, in step 0, 1 or 2:
///
/// ```
/// n t_v = 1 + sum_{a ~ v, a != v} 1 / d_a + sum_{b ~ v, b != v} (S_b - 1 / d_v) / d_b
/// ```
///
/// It has both ends of an edge if they follow each other at once, after another vertex, or with a
/// common neighbour between them:
///
/// ```
/// n t_uv = 1 / d_u + 1 / d_v + (S_u - 1 / d_v) / d_u + (S_v - 1 / d_u) / d_v
///        + (1 / d_u + 1 / d_v) sum_{b ~ u, b ~ v, b != u, b != v} 1 / d_b
/// ```
///
/// The graph is undirected, so all of this may be read from the rows. Of one step, the first two
/// terms are left. Cost: for each edge the neighbours of its end with fewer. Memory: 4 bytes an
/// entry, 24 a vertex.
final class WalkProbabilities {
  /// Steps of the longest walks of which this is known.
  static final int LONGEST = 2;

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
  private static final int ROWS = 64;

  private final CsrMatrix a;
  private final int length;
  private final double[] inverseDegrees;

  /// `S_v`.
  private final double[] sums;

  private final double[] single;
  private final MemorySegment both;

  /// @param a `n x n`, canonical, with the transpose of each entry; borrowed
  /// @param length steps of a walk, 1 or 2
  /// @param workers that count common neighbours
  WalkProbabilities(CsrMatrix a, int length, Workers workers) {
    this.a = a;
    this.length = length;
    int n = a.cols();
    inverseDegrees = new double[n];
    for (int v = 0; v < n; v++) {
      inverseDegrees[v] = a.rowLength(v) == 0 ? 0 : 1.0 / a.rowLength(v);
    }
    sums = new double[n];
    for (int v = 0; v < n; v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        sums[v] += inverseDegrees[a.column(e)];
      }
    }
    single = new double[n];
    for (int v = 0; v < n; v++) {
      single[v] = single(v);
    }
    both = Arena.ofAuto().allocate(a.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    BitSet[] marks =
        IntStream.range(0, workers.threads()).mapToObj(w -> new BitSet(n)).toArray(BitSet[]::new);
    workers.run(
        Math.ceilDiv(n, ROWS),
        (task, worker) -> {
          for (int v = task * ROWS; v < Math.min(n, (task + 1) * ROWS); v++) {
            addEdges(v, marks[worker]);
          }
        });
  }

  /// Bytes of what is kept.
  ///
  /// @param n vertices
  /// @param entries of all rows
  static long bytes(int n, long entries) {
    return 3L * Double.BYTES * n + entries * Float.BYTES;
  }

  private double single(int v) {
    double times = 1;
    for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
      int b = a.column(e);
      if (b != v) {
        double afterRoot = length > 1 ? sums[b] - inverseDegrees[v] : 0;
        times += inverseDegrees[b] * (1 + afterRoot);
      }
    }
    return times / a.cols();
  }

  /// The edges between a vertex and those that have fewer neighbours.
  private void addEdges(int v, BitSet marked) {
    for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
      marked.set(a.column(e));
    }
    for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
      int u = a.column(e);
      long more = a.rowLength(v) - a.rowLength(u);
      if (more > 0 || (more == 0 && u < v)) {
        float probability = (float) both(u, v, marked);
        both.setAtIndex(FLOAT, e, probability);
        both.setAtIndex(FLOAT, a.find(u, v), probability);
      }
    }
    for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
      marked.clear(a.column(e));
    }
  }

  /// @param ofV the neighbours of `v`
  private double both(int u, int v, BitSet ofV) {
    double fromU = inverseDegrees[u];
    double fromV = inverseDegrees[v];
    double times = fromU + fromV;
    if (length > 1) {
      double between = 0;
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int b = a.column(e);
        between += b != u && b != v && ofV.get(b) ? inverseDegrees[b] : 0;
      }
      times += (sums[u] - fromV) * fromU + (sums[v] - fromU) * fromV + between * (fromU + fromV);
    }
    return times / a.cols();
  }

  /// `t_v` of each vertex. Borrowed.
  double[] single() {
    return single;
  }

  /// `t_uv` of an edge.
  ///
  /// @param v whose row has the edge
  /// @param k number of the edge in the row
  double both(int v, long k) {
    return both.getAtIndex(FLOAT, a.rowPointer(v) + k);
  }
}
