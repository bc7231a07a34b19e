package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.Reduction;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.Frontier;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import dev.gossamer.gnn.sampling.matrices.WeightedRow;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// The probabilities that vertices and edges are in a subgraph of GraphSAINT.
interface SubgraphProbabilities {
  /// For subgraphs whose weights do not matter.
  SubgraphProbabilities CERTAIN =
      new SubgraphProbabilities() {
        @Override
        public double vertex(int v) {
          return 1;
        }

        @Override
        public double pair(SelectedRows rows, int[] vertices, int i, int j, long e) {
          return 1;
        }
      };

  /// `p_v` of a vertex whose row can be selected.
  double vertex(int v);

  /// `p_uv` of an entry: that both its vertices are in the subgraph.
  ///
  /// @param rows of the first vertices of a subgraph
  /// @param vertices of a subgraph, those with a row first
  /// @param i number of the row in the subgraph
  /// @param j number of the column in the subgraph
  /// @param e the entry of the selected row
  double pair(SelectedRows rows, int[] vertices, int i, int j, long e);

  /// For `m` independent draws, each containing `v` with probability `t_v`, and both `u` and `v`
  /// with `t_uv`: `p_v = 1 - (1 - t_v)^m` and, by inclusion and exclusion, `p_uv = 1 - (1 - t_u)^m
  /// - (1 - t_v)^m + (1 - t_u - t_v + t_uv)^m`. Exact.
  ///
  /// For nodes `t_uv = 0`. For edges `t_uv` is the probability of the edge, `(1 / deg(u) + 1 /
  /// deg(v)) / n'` with `n'` vertices that have neighbours, and `t_v = (1 + sum_u 1 / deg(u)) / n'`
  /// over the other neighbours of `v`. Both omit remote vertices as roots. For walks see
  /// [WalkProbabilities].
  final class Independent implements SubgraphProbabilities {
    private final double[] single;
    private final Both both;
    private final int draws;

    /// @param single `t_v` of each vertex
    /// @param both `t_uv`
    /// @param draws `m`
    private Independent(double[] single, Both both, int draws) {
      this.single = single;
      this.both = both;
      this.draws = draws;
    }

    /// `t_uv` of an entry, as [SubgraphProbabilities#pair].
    @FunctionalInterface
    private interface Both {
      double of(SelectedRows rows, int[] vertices, int i, int j);
    }

    static Independent ofNodes(WeightedRow importance, int draws) {
      double[] single = new double[importance.count()];
      for (int v = 0; v < single.length && importance.positive() > 0; v++) {
        single[v] = importance.weight(v) / importance.mass();
      }
      return new Independent(single, (rows, vertices, i, j) -> 0, draws);
    }

    /// @param candidates the vertices with neighbours
    static Independent ofEdges(AdjacencyRows a, int[] candidates, int draws) {
      double[] single =
          a.columnSums((row, column, coefficient, length) -> row == column ? 0 : 1.0 / length);
      int[] degrees = a.rowLengths();
      for (int v = 0; v < single.length; v++) {
        single[v] = (single[v] + (degrees[v] > 0 ? 1 : 0)) / Math.max(1, candidates.length);
      }
      Both both =
          (rows, vertices, i, j) -> {
            int v = vertices[i];
            int u = vertices[j];
            double mirror = degrees[u] > 0 && rows.has(j, v) ? 1.0 / degrees[u] : 0;
            return (1.0 / degrees[v] + mirror) / candidates.length;
          };
      return new Independent(single, both, draws);
    }

    static Independent ofWalks(WalkProbabilities walks, int draws) {
      return new Independent(walks.single(), walks::both, draws);
    }

    @Override
    public double vertex(int v) {
      return -missed(single[v]);
    }

    @Override
    public double pair(SelectedRows rows, int[] vertices, int i, int j, long e) {
      int v = vertices[i];
      int u = vertices[j];
      if (u == v) {
        return vertex(v);
      }
      double t = single[u] + single[v] - both.of(rows, vertices, i, j);
      return missed(t) - missed(single[u]) - missed(single[v]);
    }

    /// `(1 - t)^m - 1`, also of a small `t`.
    private double missed(double t) {
      return Math.expm1(draws * Math.log1p(-Math.min(1, t)));
    }
  }

  /// Counted in subgraphs that are drawn before the run (GraphSAINT, section 3.2): `p_v` is about
  /// `C_v / N` and `p_uv` about `C_uv / N`. The current subgraph counts too, so that no count is 0:
  /// `(C_v + 1) / (N + 1)`. Ranks that draw from the same rows each count a share of the subgraphs
  /// and add up the counts: integers below 2^24, so that sums are exact in any order. Memory: 12
  /// bytes per vertex and 4 per entry of the rows that can be selected.
  final class Counted implements SubgraphProbabilities {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /// Subgraphs that are drawn at a time.
    private static final int BULK = 16;

    /// Rows of a task.
    private static final int ROWS = 256;

    /// Of each vertex the number of the first entry of its row; of all rows, the last.
    private final long[] entriesBefore;

    private final MemorySegment vertices;
    private final MemorySegment entries;
    private final int estimates;

    /// Draws and counts. Collective among the ranks that draw from the same rows.
    ///
    /// @param estimates `N`, the same on all ranks
    /// @param workers that count
    Counted(AdjacencyRows a, SubgraphDraw draw, int estimates, Workers workers) {
      this.estimates = estimates;
      int n = a.vertices();
      entriesBefore = new long[n + 1];
      for (int v = 0; v < n; v++) {
        entriesBefore[v + 1] = entriesBefore[v] + a.rowLengths()[v];
      }
      Arena arena = Arena.ofAuto();
      vertices = arena.allocate((long) n * Float.BYTES, DenseMatrix.ALIGNMENT);
      entries = arena.allocate(entriesBefore[n] * Float.BYTES, DenseMatrix.ALIGNMENT);
      Communicator sharers = a.sharers();
      int bulks = Math.ceilDiv(estimates, BULK);
      int ranks = sharers == null ? 1 : sharers.size();
      // Ranks select rows together, equally often: whose share is smaller counts an empty bulk.
      for (int turn = 0; turn < bulks; turn += ranks) {
        int from = BULK * Math.min(bulks, turn + (sharers == null ? 0 : sharers.rank()));
        count(a, draw, from, Math.clamp(estimates - from, 0, BULK), workers);
      }
      if (sharers != null) {
        sharers.allReduce(vertices, Element.FLOAT, Reduction.SUM);
        sharers.allReduce(entries, Element.FLOAT, Reduction.SUM);
      }
    }

    /// Bytes of the counts.
    ///
    /// @param n vertices
    /// @param entries of the rows that can be selected
    static long bytes(int n, long entries) {
      return (long) n * (Long.BYTES + Float.BYTES) + entries * Float.BYTES;
    }

    private void count(AdjacencyRows a, SubgraphDraw draw, int from, int count, Workers workers) {
      BatchNumbers numbers = new BatchNumbers(from, 1);
      List<int[]> drawn = draw.draw(Purpose.ESTIMATES, 0, numbers, count);
      Frontier here = Subgraphs.of(a, numbers, drawn).here();
      int[] starts = here.starts();
      long[] members = new long[(a.vertices() + 63) / 64];
      try (Arena working = Arena.ofShared()) {
        SelectedRows rows = a.select(working, here.stacked());
        for (int b = 0; b < count; b++) {
          for (int v : drawn.get(b)) {
            members[v >>> 6] |= 1L << v;
          }
          int[] own = here.batch(b);
          int first = starts[b];
          workers.run(
              Math.ceilDiv(own.length, ROWS),
              (task, worker) -> {
                int end = Math.min(own.length, (task + 1) * ROWS);
                for (int i = task * ROWS; i < end; i++) {
                  add(rows, first + i, own[i], members);
                }
              });
          for (int v : drawn.get(b)) {
            members[v >>> 6] = 0;
          }
        }
      }
    }

    /// Counts a vertex, and the entries of its row in the columns of the subgraph.
    private void add(SelectedRows rows, int row, int v, long[] members) {
      increment(vertices, v);
      MemorySegment columns = rows.matrix().columns();
      long begin = rows.begin(row);
      int length = (int) (rows.end(row) - begin);
      for (int k = 0; k < length; k++) {
        int u = columns.get(INT, (begin + k) * Integer.BYTES);
        if ((members[u >>> 6] >>> u & 1) != 0) {
          increment(entries, entriesBefore[v] + k);
        }
      }
    }

    private static void increment(MemorySegment counts, long at) {
      counts.set(FLOAT, at * Float.BYTES, counts.get(FLOAT, at * Float.BYTES) + 1);
    }

    private double probability(MemorySegment counts, long at) {
      return (counts.get(FLOAT, at * Float.BYTES) + 1.0) / (estimates + 1.0);
    }

    @Override
    public double vertex(int v) {
      return probability(vertices, v);
    }

    @Override
    public double pair(SelectedRows rows, int[] ids, int i, int j, long e) {
      return probability(entries, entriesBefore[ids[i]] + e - rows.begin(i));
    }
  }
}
