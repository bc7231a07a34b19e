package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.Objects;

/// Relational graph convolutions a second time, naive, from equations 2 and 3 of Schlichtkrull et
/// al. (2018), and GraphSAGE by relation: a weight for each relation, and one loop over all pairs
/// of vertices.
final class ReferenceRelations extends ReferenceStack {
  /// The neighbours of each vertex in each relation.
  private final boolean[][][] neighbours;

  /// @param dataset the graph with its types
  /// @param weights flat, laid out by `layout`
  /// @param seed of the dropouts
  /// @param step of the dropouts; -1 for none
  ReferenceRelations(
      GraphData dataset,
      NetworkSettings settings,
      ParameterLayout layout,
      float[] weights,
      long seed,
      long step) {
    super(dataset, settings, layout, weights, seed, step);
    GraphTypes types = Objects.requireNonNull(dataset.types());
    int count = types.edges().size();
    int n = dataset.vertices();
    neighbours = new boolean[dataset.info().directed() ? 2 * count : count][n][n];
    for (int u = 0; u < n; u++) {
      for (int v = 0; v < n; v++) {
        long edge = dataset.adjacency().find(u, v);
        for (int t = 0; t < count && edge >= 0; t++) {
          if (types.has(edge, t) && isLeft(u, v)) {
            neighbours[t][v][u] = true;
            neighbours[neighbours.length - count + t][u][v] = true;
          }
        }
      }
    }
  }

  @Override
  double[][] layer(int l, double[][] h) {
    String name = "layers." + l;
    double[][] z = plus(times(h, parameter(name + ".self_weight")), parameter(name + ".bias"));
    for (int r = 0; r < neighbours.length; r++) {
      z = plus(z, times(means(neighbours[r], h), weight(name, r, z[0].length)));
    }
    return z;
  }

  private static double[][] means(boolean[][] of, double[][] h) {
    double[][] means = new double[h.length][h[0].length];
    for (int v = 0; v < h.length; v++) {
      int count = 0;
      for (int u = 0; u < h.length; u++) {
        count += of[v][u] ? 1 : 0;
      }
      for (int u = 0; u < h.length; u++) {
        for (int j = 0; j < h[u].length && of[v][u]; j++) {
          means[v][j] += h[u][j] / count;
        }
      }
    }
    return means;
  }

  /// `W_r`: a sum of bases, or its own part of all.
  private double[][] weight(String name, int r, int width) {
    boolean own = settings.kind() instanceof Rsage;
    double[][] parts = parameter(name + (own ? ".relation_weight" : ".basis_weight"));
    double[] coefficients = own ? one(r, neighbours.length) : parameter(name + ".coefficients")[r];
    double[][] weight = new double[parts.length][width];
    for (int b = 0; b < coefficients.length; b++) {
      for (int i = 0; i < parts.length; i++) {
        for (int j = 0; j < width; j++) {
          weight[i][j] += coefficients[b] * parts[i][b * width + j];
        }
      }
    }
    return weight;
  }

  private static double[] one(int r, int of) {
    double[] one = new double[of];
    one[r] = 1;
    return one;
  }
}
