package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import java.util.Arrays;

/// How probable it is that a batch reads the features of a vertex: what
/// [Sampler#inputProbabilities] of the samplers here have in common.
///
/// Layer by layer, let `p_v` be the probability that `v` is among the destinations of a layer: at
/// first `b / |T|` for the `|T|` training vertices and batches of `b`. The sources of a layer are
/// its destinations and what is drawn, `v` with probability `d_v`, so that `p_v` becomes `1 - (1 -
/// p_v) (1 - d_v)`. What `d_v` is depends on the sampler. There, `u` goes over the rows that have
/// an entry in column `v`, without `v` itself, and whether they are destinations is taken for
/// independent.
final class InputProbabilities {
  /// Newton's steps double the number of right digits; these are more than enough.
  private static final int STEPS = 60;

  private InputProbabilities() {}

  /// `p` before the first layer.
  static double[] ofBatch(AdjacencyRows a, int[] training, int batchSize) {
    double[] p = new double[a.vertices()];
    for (int v : training) {
      p[v] = Math.min(1, (double) batchSize / training.length);
    }
    return p;
  }

  /// `p` of the vertices of a subgraph.
  static double[] ofSubgraph(AdjacencyRows a, SubgraphProbabilities probabilities) {
    double[] p = new double[a.vertices()];
    Arrays.setAll(p, probabilities::vertex);
    return p;
  }

  /// `p` after a layer.
  ///
  /// @param p before the layer; overwritten
  /// @param drawn `d`
  static void include(double[] p, double[] drawn) {
    for (int v = 0; v < p.length; v++) {
      p[v] = 1 - (1 - p[v]) * (1 - drawn[v]);
    }
  }

  /// `1 - exp(x)` in place.
  static double[] complement(double[] x) {
    Arrays.setAll(x, v -> -Math.expm1(x[v]));
    return x;
  }

  /// `d` of a layer that draws one vertex after the other without replacement, each in proportion
  /// to its weight: `v` is taken with probability `1 - exp(-w_v t)`, where `t` makes the sum of
  /// `d_v = h_v (1 - exp(-w_v t))` the size of the layer (see `InverseTransform`, where `t` is
  /// known for each batch). The sum is concave in `t`, so that Newton's steps from 0 on never pass
  /// its solution.
  ///
  /// @param h probability that a vertex can be drawn
  /// @param w its weight if it can
  /// @param s vertices that the layer draws
  /// @return `h` if that is less in all
  static double[] drawn(double[] h, double[] w, int s) {
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
}
