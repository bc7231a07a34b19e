package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.state.ParameterLayout;

/// Graph attention a second time, naive, from MB's equation 2 and Velickovic et al. (2018):
/// float64, one loop over all pairs of vertices, nothing shared. Its gradients are central
/// differences of its own loss, which in float64 are exact to about ten digits.
final class ReferenceAttention {
  private static final double STEP = 1e-5;

  private final NetworkSettings settings;
  private final Gat attention;
  private final ParameterLayout layout;
  private final double[] weights;
  private final boolean[][] edges;
  private final double[][] x;
  private final int[] labels;
  private final byte[] split;
  private final long seed;
  private final long step;

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
    this.settings = settings;
    this.attention = (Gat) settings.kind();
    this.layout = layout;
    this.weights = new double[weights.length];
    for (int i = 0; i < weights.length; i++) {
      this.weights[i] = weights[i];
    }
    this.seed = seed;
    this.step = step;
    labels = dataset.labels();
    split = dataset.split();
    x = dense(dataset.features());
    float[][] a = dataset.adjacency().toDense();
    edges = new boolean[a.length][a.length];
    for (int u = 0; u < a.length; u++) {
      for (int v = 0; v < a.length; v++) {
        edges[u][v] = a[u][v] != 0 || (u == v && settings.selfLoops());
      }
    }
  }

  /// The gradient in one parameter.
  double gradient(int i) {
    double weight = weights[i];
    weights[i] = weight + STEP;
    double above = loss();
    weights[i] = weight - STEP;
    double below = loss();
    weights[i] = weight;
    return (above - below) / (2 * STEP);
  }

  /// The mean cross entropy of the training vertices.
  double loss() {
    double[][] h = dropped(x, 0, settings.inputDropout());
    for (int l = 0; l < settings.layers(); l++) {
      h = layer(l, h);
      if (l < settings.layers() - 1) {
        h = dropped(hidden(h), l + 1, settings.dropout());
      }
    }
    double sum = 0;
    int count = 0;
    for (int v = 0; v < h.length; v++) {
      if (split[v] == Split.TRAIN.code()) {
        double all = 0;
        for (double logit : h[v]) {
          all += Math.exp(logit);
        }
        sum -= h[v][labels[v]] - Math.log(all);
        count++;
      }
    }
    return sum / count;
  }

  private double[][] layer(int l, double[][] h) {
    boolean last = l == settings.layers() - 1;
    String name = "layers." + l;
    int width = layout.entry(name + ".attention").cols();
    boolean early = attention.variant() == Variant.MB;
    double[][] z = times(h, parameter(name + ".weight"));
    double[] bias = parameter(name + ".bias")[0];
    if (early) {
      z = plus(z, bias);
      z = last ? z : positive(z);
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
    for (int v = 0; v < n; v++) {
      double[] exponentials = new double[n];
      double all = 0;
      for (int u = 0; u < n; u++) {
        if (edges[u][v]) {
          double score = 0;
          for (int d = 0; d < width; d++) {
            score += vectors[head][d] * z[u][head * width + d];
            score += vectors[attention.heads() + head][d] * z[v][head * width + d];
          }
          exponentials[u] = Math.exp(score > 0 ? score : 0.2 * score);
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

  /// What dropout multiplies a coefficient by.
  private double kept(int l, int u, int v, int head) {
    EdgeDropout dropout = step < 0 ? null : settings.edgeDropout(l, seed, step);
    if (dropout == null) {
      return 1;
    }
    return dropout.keeps(v, u, head) ? dropout.scale() : 0;
  }

  private double[][] dropped(double[][] h, int stream, double rate) {
    if (rate == 0 || step < 0) {
      return h;
    }
    Dropout dropout = new Dropout(seed, stream, (float) rate);
    double[][] result = new double[h.length][h[0].length];
    for (int v = 0; v < h.length; v++) {
      for (int j = 0; j < h[v].length; j++) {
        boolean keeps = dropout.keeps(step, v, j, h[v].length);
        result[v][j] = keeps ? h[v][j] * dropout.scale() : 0;
      }
    }
    return result;
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

  private double[][] parameter(String name) {
    ParameterLayout.Entry entry = layout.entry(name);
    double[][] result = new double[entry.rows()][entry.cols()];
    for (int i = 0; i < entry.rows(); i++) {
      for (int j = 0; j < entry.cols(); j++) {
        result[i][j] = weights[(int) entry.offset() + i * entry.cols() + j];
      }
    }
    return result;
  }

  private static double[][] times(double[][] a, double[][] b) {
    double[][] c = new double[a.length][b[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int k = 0; k < b.length; k++) {
        for (int j = 0; j < b[0].length; j++) {
          c[i][j] += a[i][k] * b[k][j];
        }
      }
    }
    return c;
  }

  private static double[][] plus(double[][] a, double[] row) {
    double[][] result = new double[a.length][row.length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < row.length; j++) {
        result[i][j] = a[i][j] + row[j];
      }
    }
    return result;
  }

  /// What is behind a hidden layer: nothing more than it has already with MB's, else an ELU.
  private double[][] hidden(double[][] a) {
    if (attention.variant() == Variant.MB) {
      return positive(a);
    }
    double[][] result = new double[a.length][a[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        result[i][j] = a[i][j] > 0 ? a[i][j] : Math.expm1(a[i][j]);
      }
    }
    return result;
  }

  private static double[][] positive(double[][] a) {
    double[][] result = new double[a.length][a[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        result[i][j] = Math.max(0, a[i][j]);
      }
    }
    return result;
  }

  private static double[][] dense(Features features) {
    float[][] rows =
        switch (features) {
          case Features.Dense dense -> dense.x().toArray();
          case Features.Sparse sparse -> sparse.x().toDense();
          case Features.None none -> new float[0][0];
        };
    double[][] result = new double[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      result[i] = new double[rows[i].length];
      for (int j = 0; j < rows[i].length; j++) {
        result[i][j] = rows[i][j];
      }
    }
    return result;
  }
}
