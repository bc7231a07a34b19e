package dev.gossamer.gnn.sampling;

import java.util.Arrays;

/// How probable it is that a batch reads the features of a vertex, for each vertex: what a cache of
/// features goes by. No batch is drawn; a pass over the graph a layer gives all (T. Kaler et al.,
/// *Communication-Efficient Graph Neural Networks with Probabilistic Neighborhood Expansion
/// Analysis and Caching*, MLSys 2023, section 3: vertex inclusion probabilities).
///
/// Layer by layer, let `p_v` be the probability that `v` is among the destinations of a layer: at
/// first `b / |T|` for the `|T|` training vertices and batches of `b`. The sources of a layer are
/// its destinations and what is drawn, `v` with probability `d_v`, so that `p_v` becomes `1 - (1 -
/// p_v) (1 - d_v)`. Below, `u` goes over the rows that have an entry in column `v`, without `v`
/// itself, and whether they are destinations is taken for independent:
///
/// - `sage`: `u`, if it is a destination, draws `v` with probability `min(1, s / deg(u))`, and so
///   `d_v = 1 - prod_u (1 - p_u min(1, s / deg(u)))`.
/// - `ladies`: `v` can be drawn if there is a `u` among the destinations, with probability `h_v = 1
///   - prod_u (1 - p_u)`. It then weighs `w_v = E[e_v^2] / h_v`, where `E[e_v^2] = (sum_u p_u)^2 +
///     sum_u p_u (1 - p_u)`. Drawing one after the other without replacement takes it with
///     probability `1 - exp(-w_v t)`, where `t` makes the sum of `d_v = h_v (1 - exp(-w_v t))` the
///     `s` vertices of the layer (see `InverseTransform`, where `t` is known for each batch).
/// - `fastGcn`: the same with `h_v = 1` and the fixed weight of `v`.
/// - `saintNode`, `saintEdge`: the probability of `v` in a subgraph, exactly.
/// - `saintWalk`: `1 - exp(-r sum_t pi_v^t)`, where `pi_v^0 = 1 / n`, `pi_v^t` is the probability
///   that a walk comes to `v` in step `t`, and `r` walks are taken; right but for walks that come
///   back.
///
/// Memory: a few numbers of 8 bytes a vertex.
public final class InputProbabilities {
  /// Newton's steps double the number of right digits; so many are more than enough.
  private static final int STEPS = 60;

  private InputProbabilities() {}

  /// The probability of each vertex to be an input of one batch. Collective if the graph is spread
  /// over ranks, with the same arguments on all of them.
  ///
  /// @param a `Â`, from which the batches are drawn
  /// @param training the vertices from which batches are made, distinct
  /// @param batchSize vertices of a batch; subgraphs have their own size
  /// @return `n` numbers in `0..1`
  public static double[] of(Sampler sampler, AdjacencyRows a, int[] training, int batchSize) {
    return switch (sampler) {
      case Sampler.Sage sage -> {
        double[] p = batch(a, training, batchSize);
        sage.fanouts().forEach(s -> include(p, neighbours(a, p, s)));
        yield p;
      }
      case Sampler.Ladies ladies -> {
        double[] p = batch(a, training, batchSize);
        ladies.sizes().forEach(s -> include(p, dependencies(a, p, s)));
        yield p;
      }
      case Sampler.FastGcn fastGcn -> {
        double[] p = batch(a, training, batchSize);
        double[] weights = weights(BulkSampler.importance(fastGcn, a));
        double[] always = new double[p.length];
        Arrays.fill(always, 1);
        fastGcn.sizes().forEach(s -> include(p, drawn(always, weights, s)));
        yield p;
      }
      case Sampler.SaintNode node -> {
        WeightedRow importance = BulkSampler.importance(node, a);
        yield all(a, SubgraphProbabilities.Independent.ofNodes(importance, node.draws()));
      }
      case Sampler.SaintEdge edge -> {
        int[] candidates = BulkSampler.withNeighbours(edge, a);
        yield all(a, SubgraphProbabilities.Independent.ofEdges(a, candidates, edge.draws()));
      }
      case Sampler.SaintWalk walk -> walks(a, walk.roots(), walk.length());
    };
  }

  /// `p` before the first layer.
  private static double[] batch(AdjacencyRows a, int[] training, int batchSize) {
    double[] p = new double[a.vertices()];
    for (int v : training) {
      p[v] = Math.min(1, (double) batchSize / training.length);
    }
    return p;
  }

  /// `p` after a layer.
  private static void include(double[] p, double[] drawn) {
    for (int v = 0; v < p.length; v++) {
      p[v] = 1 - (1 - p[v]) * (1 - drawn[v]);
    }
  }

  private static double[] neighbours(AdjacencyRows a, double[] p, int fanout) {
    int[] degrees = a.rowLengths();
    double[] missed = new double[p.length];
    for (int u = 0; u < p.length; u++) {
      missed[u] = Math.log1p(-p[u] * Math.min(1, (double) fanout / degrees[u]));
    }
    return complement(a.sumsOfOthers(missed));
  }

  private static double[] dependencies(AdjacencyRows a, double[] p, int size) {
    double[] missed = new double[p.length];
    double[] variance = new double[p.length];
    for (int u = 0; u < p.length; u++) {
      missed[u] = Math.log1p(-p[u]);
      variance[u] = p[u] * (1 - p[u]);
    }
    double[] reached = complement(a.sumsOfOthers(missed));
    double[] mean = a.sumsOfOthers(p);
    double[] weights = a.sumsOfOthers(variance);
    for (int v = 0; v < p.length; v++) {
      weights[v] = reached[v] == 0 ? 0 : (weights[v] + mean[v] * mean[v]) / reached[v];
    }
    return drawn(reached, weights, size);
  }

  /// `1 - exp(x)` in place.
  private static double[] complement(double[] x) {
    Arrays.setAll(x, v -> -Math.expm1(x[v]));
    return x;
  }

  /// `d_v = h_v (1 - exp(-w_v t))` with the sum `s`; `h_v` if that is less in all. The sum is
  /// concave in `t`, so that Newton's steps from 0 on never pass its solution.
  private static double[] drawn(double[] h, double[] w, int s) {
    double t = 0;
    boolean all = Arrays.stream(h).sum() <= s;
    for (int step = 0; step < STEPS && !all; step++) {
      double missing = s;
      double slope = 0;
      for (int v = 0; v < h.length; v++) {
        double decay = Math.exp(-w[v] * t);
        missing -= h[v] * (1 - decay);
        slope += h[v] * w[v] * decay;
      }
      if (missing < 1e-9 * s || slope == 0) {
        break;
      }
      t += missing / slope;
    }
    double[] d = new double[h.length];
    double end = t;
    Arrays.setAll(d, v -> all ? h[v] : -h[v] * Math.expm1(-w[v] * end));
    return d;
  }

  private static double[] weights(WeightedRow row) {
    double[] weights = new double[row.count()];
    Arrays.setAll(weights, row::weight);
    return weights;
  }

  private static double[] all(AdjacencyRows a, SubgraphProbabilities probabilities) {
    double[] p = new double[a.vertices()];
    Arrays.setAll(p, probabilities::vertex);
    return p;
  }

  /// A walk stays where there are no neighbours.
  private static double[] walks(AdjacencyRows a, int roots, int length) {
    int[] degrees = a.rowLengths();
    double[] at = new double[a.vertices()];
    Arrays.fill(at, 1.0 / at.length);
    double[] visits = at.clone();
    for (int step = 1; step <= length; step++) {
      double[] before = at;
      at = a.columnSums((row, column, coefficient, degree) -> before[row] / degree);
      for (int v = 0; v < at.length; v++) {
        // Who stays was there already.
        visits[v] += at[v];
        at[v] += degrees[v] == 0 ? before[v] : 0;
      }
    }
    Arrays.setAll(visits, v -> -Math.expm1(-roots * visits[v]));
    return visits;
  }
}
