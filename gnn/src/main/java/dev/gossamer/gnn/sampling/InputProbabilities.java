package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import java.util.Arrays;

/// The probability that a batch reads the features of a vertex: shared code of
/// [Sampler#inputProbabilities].
///
/// Layer by layer, let `p_v` be the probability that `v` is a destination of a layer: initially `b
/// / |T|` for the `|T|` training vertices and batches of `b`. The sources of a layer are its
/// destinations and drawn vertices, `v` with probability `d_v`, so that `p_v` becomes `1 - (1 -
/// p_v) (1 - d_v)`. `d_v` depends on the sampler. In its formula, `u` runs over the rows other than
/// `v` that have an entry in column `v`, assumed to be destinations independently of each other.
final class InputProbabilities {
  /// Newton's steps double the number of right digits; these are more than enough.
  private static final int STEPS = 60;

  private InputProbabilities() {}

  /// Returns `p` before the first layer.
  static double[] ofBatch(AdjacencyRows a, int[] training, int batchSize) {
    double[] p = new double[a.vertices()];
    for (int v : training) {
      p[v] = Math.min(1, (double) batchSize / training.length);
    }
    return p;
  }

  /// Returns `p` of the vertices of a subgraph.
  static double[] ofSubgraph(AdjacencyRows a, SubgraphProbabilities probabilities) {
    double[] p = new double[a.vertices()];
    Arrays.setAll(p, probabilities::vertex);
    return p;
  }

  /// Computes `p` after a layer.
  ///
  /// @param p before the layer; overwritten
  /// @param drawn `d`
  static void include(double[] p, double[] drawn) {
    for (int v = 0; v < p.length; v++) {
      p[v] = 1 - (1 - p[v]) * (1 - drawn[v]);
    }
  }

  /// Computes `1 - exp(x)` in place.
  static double[] complement(double[] x) {
    Arrays.setAll(x, v -> -Math.expm1(x[v]));
    return x;
  }

  /// Returns `d` of a layer that draws vertices one after the other without replacement, in
  /// proportion to their weights: `v` is taken with probability `1 - exp(-w_v t)`, where `t` makes
  /// the sum of `d_v = h_v (1 - exp(-w_v t))` the size of the layer (see `InverseTransform`, where
  /// `t` is known for each batch). The sum is concave in `t`, so that Newton's iteration from 0
  /// never overshoots.
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
