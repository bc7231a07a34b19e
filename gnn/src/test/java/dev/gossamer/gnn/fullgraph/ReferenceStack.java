package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.sparse.EntryDropout;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.DoubleUnaryOperator;

/// A network a second time, naive: float64, nothing shared. Its gradients are central differences
/// of its own loss, which in float64 are exact to about ten digits.
abstract class ReferenceStack {
  private static final double STEP = 1e-5;

  /// Of the dropout of projections; hidden layers have the streams from 1.
  private static final int PROJECTION_STREAM = 1 << 13;

  final NetworkSettings settings;
  final ParameterLayout layout;
  final long seed;
  final long step;
  private final double[] weights;
  private final double[][] x;
  private final int[] labels;
  private final byte[] split;

  /// @param weights flat, laid out by `layout`
  /// @param seed of the dropouts
  /// @param step of the dropouts; -1 for none
  ReferenceStack(
      GraphData dataset,
      NetworkSettings settings,
      ParameterLayout layout,
      float[] weights,
      long seed,
      long step) {
    this.settings = settings;
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
  }

  /// What a layer makes of its input, before what follows it.
  abstract double[][] layer(int l, double[][] h);

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
    double[][] h = outputs(dropped(input(x), 0, settings.inputDropout()));
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

  /// What the first layer reads.
  ///
  /// @param x the features
  double[][] input(double[][] x) {
    return x;
  }

  /// The logits of all vertices.
  double[][] outputs(double[][] input) {
    double[][] h = settings.finish().inputProjection() ? projected(input) : input;
    List<double[][]> hidden = new ArrayList<>();
    for (int l = 0; l < settings.layers(); l++) {
      double[][] z = layer(l, h);
      h = isOutput(l) ? z : finished(l, z, h);
      hidden.add(h);
    }
    String last = "layers.%d.jumping".formatted(settings.layers() - 1);
    return settings.finish().jumping() == Jumping.NONE
        ? h
        : plus(times(combined(hidden), parameter(last + ".weight")), parameter(last + ".bias"));
  }

  /// Whether a layer computes the outputs.
  final boolean isOutput(int l) {
    return l == settings.layers() - 1 && settings.finish().jumping() == Jumping.NONE;
  }

  /// What the outputs are computed from.
  private double[][] combined(List<double[][]> hidden) {
    BinaryOperator<double[][]> both =
        switch (settings.finish().jumping()) {
          case NONE -> (_, last) -> last;
          case CONCAT -> ReferenceStack::beside;
          case MAX -> ReferenceStack::greater;
          case SUM -> ReferenceStack::plus;
        };
    return hidden.stream().reduce(both).orElseThrow();
  }

  /// What the first layer reads of a projection.
  private double[][] projected(double[][] input) {
    String name = "layers.0.projection";
    double[][] z = plus(times(input, parameter(name + ".weight")), parameter(name + ".bias"));
    return dropped(each(z, activation(name)), PROJECTION_STREAM, settings.dropout());
  }

  /// What follows a hidden layer.
  private double[][] finished(int l, double[][] z, double[][] h) {
    double[][] y = normalised("layers." + l + ".norm", z);
    y = dropped(each(y, activation("layers." + l)), l + 1, settings.dropout());
    if (settings.finish().feedForward()) {
      String name = "layers.%d.feed_forward".formatted(l);
      y = plus(times(y, parameter(name + ".weight")), parameter(name + ".bias"));
    }
    boolean adds = settings.finish().residual() && (l > 0 || settings.finish().inputProjection());
    return adds ? plus(y, h) : y;
  }

  private double[][] normalised(String name, double[][] z) {
    return switch (settings.finish().norm()) {
      case NONE -> z;
      case LAYER -> scaled(name, z, transposed(moments(z)));
      case BATCH -> {
        double[][] running = {parameter(name + ".mean")[0], parameter(name + ".variance")[0]};
        yield scaled(name, z, step < 0 ? running : transposed(moments(transposed(z))));
      }
    };
  }

  /// Mean and variance of each row.
  private static double[][] moments(double[][] z) {
    double[][] moments = new double[z.length][2];
    for (int v = 0; v < z.length; v++) {
      for (double value : z[v]) {
        moments[v][0] += value / z[v].length;
      }
      for (double value : z[v]) {
        moments[v][1] += Math.pow(value - moments[v][0], 2) / z[v].length;
      }
    }
    return moments;
  }

  /// @param moments means and variances, of each row or of each column
  private double[][] scaled(String name, double[][] z, double[][] moments) {
    double[][] gain = parameter(name + ".gain");
    double[][] bias = parameter(name + ".bias");
    boolean ofRows = settings.finish().norm() == Norm.LAYER;
    double[][] result = new double[z.length][z[0].length];
    for (int v = 0; v < z.length; v++) {
      for (int j = 0; j < z[v].length; j++) {
        int at = ofRows ? v : j;
        double hat = (z[v][j] - moments[0][at]) / Math.sqrt(moments[1][at] + 1e-5);
        result[v][j] = hat * gain[0][j] + bias[0][j];
      }
    }
    return result;
  }

  static double[][] transposed(double[][] a) {
    double[][] t = new double[a[0].length][a.length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[0].length; j++) {
        t[j][i] = a[i][j];
      }
    }
    return t;
  }

  /// @param name prefix of the slope, if there is one
  private DoubleUnaryOperator activation(String name) {
    Activation.Function function = settings.finish().activation();
    return switch (function == null ? settings.kind().activation() : function) {
      case RELU -> z -> Math.max(0, z);
      case ELU -> z -> z > 0 ? z : Math.expm1(z);
      case PRELU -> z -> z > 0 ? z : parameter(name + ".slope")[0][0] * z;
      case GELU ->
          z -> z / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z * z * z)));
    };
  }

  static double[][] each(double[][] a, DoubleUnaryOperator function) {
    double[][] result = new double[a.length][a[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        result[i][j] = function.applyAsDouble(a[i][j]);
      }
    }
    return result;
  }

  final double[][] dropped(double[][] h, int stream, double rate) {
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

  /// Whether a step leaves the edges between two vertices.
  final boolean isLeft(int u, int v) {
    EntryDropout dropout = step < 0 ? null : settings.droppedEdges(seed);
    return dropout == null || dropout.keeps(step, u, v);
  }

  /// What a step leaves of weights of edges, with the same expected sums.
  final double[][] left(double[][] propagation) {
    double scale = step < 0 ? 1 : 1 / (1 - settings.edgeDropout());
    double[][] result = new double[propagation.length][propagation.length];
    for (int v = 0; v < result.length; v++) {
      for (int u = 0; u < result.length; u++) {
        result[v][u] = isLeft(u, v) ? propagation[v][u] * (u == v ? 1 : scale) : 0;
      }
    }
    return result;
  }

  /// The features of the edge between each two vertices; zeros where there is none.
  static double[][][] ofEdges(GraphData dataset, int width) {
    int n = dataset.vertices();
    double[][][] features = new double[n][n][width];
    for (int u = 0; u < n; u++) {
      for (int v = 0; v < n; v++) {
        long entry = dataset.adjacency().find(u, v);
        for (int f = 0; entry >= 0 && f < width; f++) {
          features[u][v][f] = Objects.requireNonNull(dataset.edgeFeatures()).x().get(entry, f);
        }
      }
    }
    return features;
  }

  final double[][] parameter(String name) {
    ParameterLayout.Entry entry = layout.entry(name);
    double[][] result = new double[entry.rows()][entry.cols()];
    for (int i = 0; i < entry.rows(); i++) {
      for (int j = 0; j < entry.cols(); j++) {
        result[i][j] = weights[(int) entry.offset() + i * entry.cols() + j];
      }
    }
    return result;
  }

  static double[][] times(double[][] a, double[][] b) {
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

  /// The sum of two matrices, the second of which may be one row for all.
  static double[][] plus(double[][] a, double[][] b) {
    double[][] result = new double[a.length][a[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        result[i][j] = a[i][j] + b[b.length == 1 ? 0 : i][j];
      }
    }
    return result;
  }

  /// `[A | B]`.
  static double[][] beside(double[][] a, double[][] b) {
    double[][] both = new double[a.length][];
    for (int i = 0; i < a.length; i++) {
      both[i] = Arrays.copyOf(a[i], a[i].length + b[i].length);
      System.arraycopy(b[i], 0, both[i], a[i].length, b[i].length);
    }
    return both;
  }

  private static double[][] greater(double[][] a, double[][] b) {
    double[][] result = new double[a.length][a[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        result[i][j] = Math.max(a[i][j], b[i][j]);
      }
    }
    return result;
  }

  static double[][] dense(Features features) {
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
