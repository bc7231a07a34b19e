package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.state.ParameterLayout;

/// Graph attention a second time, naive, from MB's equation 2, Velickovic et al. (2018) and Brody
/// et al. (2022): one loop over all pairs of vertices.
final class ReferenceAttention extends ReferenceStack {
  private final Gat attention;
  private final boolean[][] edges;
  private final double[][][] features;

  /// @param weights flat, laid out by `layout`
  /// @param seed of the dropouts
  /// @param step of the dropouts; -1 for none
  ReferenceAttention(
      GraphData dataset,
      NetworkSettings settings,
      ParameterLayout layout,
      float[] weights,
      long seed,
      long step) {
    super(dataset, settings, layout, weights, seed, step);
    this.attention = (Gat) settings.kind();
    float[][] a = dataset.adjacency().toDense();
    edges = new boolean[a.length][a.length];
    features = ofEdges(dataset, attention.edgeFeatures());
    for (int u = 0; u < a.length; u++) {
      for (int v = 0; v < a.length; v++) {
        edges[u][v] = isLeft(u, v) && (a[u][v] != 0 || (u == v && settings.selfLoops()));
      }
    }
  }

  @Override
  double[][] layer(int l, double[][] h) {
    boolean last = isOutput(l);
    String name = "layers." + l;
    int width = layout.entry(name + ".attention").cols();
    boolean early = attention.variant() == Variant.MB;
    double[][] z = times(h, parameter(name + ".weight"));
    double[][] bias = parameter(name + ".bias");
    if (early) {
      z = plus(z, bias);
      z = last ? z : each(z, value -> Math.max(0, value));
    }
    double[][] sums = new double[z.length][z[0].length];
    double[][] vectors = parameter(name + ".attention");
    for (int head = 0; head < attention.heads(); head++) {
      attend(l, head, width, z, vectors, sums);
    }
    double[][] result = last ? mean(sums, width) : sums;
    return early ? result : plus(result, bias);
  }

  /// One head's columns of `sums`.
  private void attend(
      int l, int head, int width, double[][] z, double[][] vectors, double[][] sums) {
    int n = z.length;
    boolean dynamic = attention.variant() == Variant.V2;
    for (int v = 0; v < n; v++) {
      double[] exponentials = new double[n];
      double all = 0;
      for (int u = 0; u < n; u++) {
        if (edges[u][v]) {
          double score = 0;
          double[] term = dynamic ? term(l, features[u][v]) : new double[0];
          for (int d = 0; d < width; d++) {
            double source = z[u][head * width + d];
            double target = z[v][head * width + d];
            score +=
                dynamic
                    ? vectors[head][d]
                        * leaky(source + target + (term.length == 0 ? 0 : term[head * width + d]))
                    : vectors[head][d] * source + vectors[attention.heads() + head][d] * target;
          }
          score += dynamic ? 0 : ofEdge(l, head, width, features[u][v]);
          exponentials[u] = Math.exp(dynamic ? score : leaky(score));
          all += exponentials[u];
        }
      }
      for (int u = 0; u < n; u++) {
        double alpha = edges[u][v] ? kept(l, u, v, head) * exponentials[u] / all : 0;
        for (int d = 0; d < width; d++) {
          sums[v][head * width + d] += alpha * z[u][head * width + d];
        }
      }
    }
  }

  /// `W_e x`; empty without features.
  private double[] term(int l, double[] x) {
    return x.length == 0
        ? x
        : times(new double[][] {x}, parameter("layers." + l + ".edge.weight"))[0];
  }

  /// `<a_e, W_e x>`, as PyTorch Geometric's `GATConv` has it.
  private double ofEdge(int l, int head, int width, double[] x) {
    if (x.length == 0) {
      return 0;
    }
    double[] projected = term(l, x);
    double[][] vectors = parameter("layers." + l + ".edge.attention");
    double score = 0;
    for (int d = 0; d < width; d++) {
      score += vectors[head][d] * projected[head * width + d];
    }
    return score;
  }

  private static double leaky(double score) {
    return score > 0 ? score : 0.2 * score;
  }

  /// What dropout multiplies a coefficient by.
  private double kept(int l, int u, int v, int head) {
    EdgeDropout dropout = step < 0 ? null : settings.edgeDropout(l, seed, step);
    if (dropout == null) {
      return 1;
    }
    return dropout.keeps(v, u, head) ? dropout.scale() : 0;
  }

  private double[][] mean(double[][] sums, int width) {
    double[][] result = new double[sums.length][width];
    for (int v = 0; v < sums.length; v++) {
      for (int j = 0; j < sums[v].length; j++) {
        result[v][j % width] += sums[v][j] / attention.heads();
      }
    }
    return result;
  }
}
