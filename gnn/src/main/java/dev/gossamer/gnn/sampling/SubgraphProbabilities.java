package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.Draws.Purpose;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;

/// How probable it is that vertices are in a subgraph of GraphSAINT.
interface SubgraphProbabilities {
  /// `p_v` of a vertex whose row can be selected.
  double vertex(int v);

  /// `p_uv` of an entry: that both its vertices are in the subgraph.
  ///
  /// @param rows of the first vertices of a subgraph
  /// @param vertices of a subgraph, those with a row first
  /// @param i number of the row in the subgraph
  /// @param j number of the column in the subgraph
  double pair(SelectedRows rows, int[] vertices, int i, int j);

  /// Of `m` independent draws, where one draw takes `v` with probability `t_v`, and both `u` and
  /// `v` with `t_uv`: `p_v = 1 - (1 - t_v)^m` and, by inclusion and exclusion, `p_uv = 1 - (1 -
  /// t_u)^m - (1 - t_v)^m + (1 - t_u - t_v + t_uv)^m`. Exact.
  ///
  /// For nodes `t_uv = 0`. For edges `t_uv` is the probability of the edge, `(1 / deg(u) + 1 /
  /// deg(v)) / n'` with `n'` vertices that have neighbours, and `t_v = (1 + sum_u 1 / deg(u)) / n'`
  /// over the other neighbours of `v`. What a vertex whose row is elsewhere would add as a root is
  /// missing from both.
  final class Independent implements SubgraphProbabilities {
    private final double[] single;
    private final int draws;
    private final int[] degrees;
    private final int candidates;

    /// @param single `t_v` of each vertex
    /// @param draws `m`
    /// @param degrees entries of each row; empty where a draw is a vertex
    /// @param candidates `n'`
    private Independent(double[] single, int draws, int[] degrees, int candidates) {
      this.single = single;
      this.draws = draws;
      this.degrees = degrees;
      this.candidates = candidates;
    }

    static Independent ofNodes(WeightedRow importance, int draws) {
      double[] single = new double[importance.count()];
      for (int v = 0; v < single.length && importance.positive() > 0; v++) {
        single[v] = importance.weight(v) / importance.mass();
      }
      return new Independent(single, draws, new int[0], 0);
    }

    /// @param candidates the vertices with neighbours
    static Independent ofEdges(AdjacencyRows a, int[] candidates, int draws) {
      double[] single =
          a.columnSums((row, column, coefficient, length) -> row == column ? 0 : 1.0 / length);
      int[] degrees = a.rowLengths();
      for (int v = 0; v < single.length; v++) {
        single[v] = (single[v] + (degrees[v] > 0 ? 1 : 0)) / Math.max(1, candidates.length);
      }
      return new Independent(single, draws, degrees, candidates.length);
    }

    @Override
    public double vertex(int v) {
      return -missed(single[v]);
    }

    @Override
    public double pair(SelectedRows rows, int[] vertices, int i, int j) {
      int v = vertices[i];
      int u = vertices[j];
      if (u == v) {
        return vertex(v);
      }
      double both = 0;
      if (degrees.length > 0) {
        double mirror = degrees[u] > 0 && rows.has(j, v) ? 1.0 / degrees[u] : 0;
        both = (1.0 / degrees[v] + mirror) / candidates;
      }
      return missed(single[u] + single[v] - both) - missed(single[u]) - missed(single[v]);
    }

    /// `(1 - t)^m - 1`, also of a small `t`.
    private double missed(double t) {
      return Math.expm1(draws * Math.log1p(-Math.min(1, t)));
    }
  }

  /// Counted in subgraphs that are drawn beforehand (GraphSAINT, section 3.2): `p_v` is about `C_v
  /// / N` and `p_uv` about `C_uv / N`. The subgraph that is weighted counts too, so that no count
  /// is 0: `(C_v + 1) / (N + 1)`. Memory: 4 bytes a vertex and 24 to 48 an edge that occurred.
  final class Counted implements SubgraphProbabilities {
    /// Subgraphs that are drawn at a time.
    private static final int BULK = 16;

    private final int[] vertices;
    private final EdgeCounts edges = new EdgeCounts();
    private final int estimates;

    /// Draws and counts.
    ///
    /// @param estimates `N`
    Counted(AdjacencyRows a, SubgraphDraw draw, int estimates) {
      this.estimates = estimates;
      vertices = new int[a.vertices()];
      BlockMaker maker = new BlockMaker(a.vertices());
      for (int from = 0; from < estimates; from += BULK) {
        int count = Math.min(BULK, estimates - from);
        BatchNumbers numbers = new BatchNumbers(from, 1);
        Subgraphs drawn = Subgraphs.of(a, numbers, draw.draw(Purpose.ESTIMATES, 0, numbers, count));
        int[] starts = drawn.here().starts();
        try (Arena working = Arena.ofShared()) {
          SelectedRows rows = a.select(working, drawn.here().stacked());
          for (int b = 0; b < count; b++) {
            SelectedRows own = rows.range(starts[b], starts[b + 1]);
            add(
                maker.induced(
                    working, own, drawn.here().batch(b), drawn.all().batch(b), (row, column) -> 1));
          }
        }
      }
    }

    /// Bytes of the counts, at most.
    ///
    /// @param n vertices
    /// @param edges that occur
    static long bytes(int n, long edges) {
      return (long) n * Integer.BYTES + EdgeCounts.bytes(edges);
    }

    private void add(SampledBlock block) {
      CsrMatrix matrix = block.matrix();
      int[] ids = block.sources();
      for (int i = 0; i < block.destinations(); i++) {
        vertices[ids[i]]++;
        for (long e = matrix.rowPointer(i); e < matrix.rowPointer(i + 1L); e++) {
          edges.add(ids[i], ids[matrix.column(e)]);
        }
      }
    }

    @Override
    public double vertex(int v) {
      return (vertices[v] + 1.0) / (estimates + 1.0);
    }

    @Override
    public double pair(SelectedRows rows, int[] ids, int i, int j) {
      return (edges.count(ids[i], ids[j]) + 1.0) / (estimates + 1.0);
    }
  }
}
