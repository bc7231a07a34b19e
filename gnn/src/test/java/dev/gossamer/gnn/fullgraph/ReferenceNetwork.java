package dev.gossamer.gnn.fullgraph;

import static dev.gossamer.gnn.fullgraph.ReferenceStack.times;
import static dev.gossamer.gnn.fullgraph.ReferenceStack.transposed;

import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;

/// A second, naive implementation of the same training, from the papers: float64, dense loops, no
/// sharing of buffers, no choice of order. `Z = Â H W + H W_self + b`, where only GraphSAGE has a
/// `W_self` that is not zero, `H' = max(Z, 0)`, mean softmax cross entropy over the training
/// vertices.
final class ReferenceNetwork {
  private final double[][] propagation;
  private final double[][] x;
  private final int[] labels;
  private final byte[] split;
  private final double[][][] weights;
  private final double[][][] selfWeights;
  private final double[][] biases;
  private double[][][] weightGradients = {};
  private double[][][] selfGradients = {};
  private double[][] biasGradients = {};

  /// @param weights of each layer, for the aggregated rows
  /// @param selfWeights of each layer, for a vertex's own row
  ReferenceNetwork(
      GraphData dataset, LayerKind model, double[][][] weights, double[][][] selfWeights) {
    this.x = ReferenceStack.dense(dataset.features());
    this.labels = dataset.labels();
    this.split = dataset.split();
    this.propagation = propagation(dataset, model);
    this.weights = weights;
    this.selfWeights = selfWeights;
    biases = new double[weights.length][];
    for (int l = 0; l < weights.length; l++) {
      biases[l] = new double[weights[l][0].length];
    }
  }

  /// What multiplies the input of a layer.
  static double[][] propagation(GraphData dataset, LayerKind model) {
    return switch (model) {
      case Gcn gcn -> symmetric(dataset);
      case Sage sage -> mean(dataset);
      case Mlp mlp -> identity(dataset.vertices());
      case Gin gin -> sum(dataset);
      default -> throw new IllegalArgumentException(model + " has an oracle of its own");
    };
  }

  double[][] weightGradient(int layer) {
    return weightGradients[layer];
  }

  double[][] selfGradient(int layer) {
    return selfGradients[layer];
  }

  double[] biasGradient(int layer) {
    return biasGradients[layer];
  }

  /// Loss and gradients at the present weights.
  double lossAndGradients() {
    int layers = weights.length;
    double[][][] inputs = new double[layers][][];
    double[][][] sums = new double[layers][][];
    double[][] h = x;
    for (int l = 0; l < layers; l++) {
      inputs[l] = h;
      sums[l] = plus(times(propagation, times(h, weights[l])), biases[l]);
      addTo(sums[l], times(h, selfWeights[l]));
      h = l < layers - 1 ? positive(sums[l], sums[l]) : sums[l];
    }
    double[][] t = new double[h.length][h[0].length];
    double loss = lossAndGradient(h, t);
    weightGradients = new double[layers][][];
    selfGradients = new double[layers][][];
    biasGradients = new double[layers][];
    for (int l = layers - 1; l >= 0; l--) {
      double[][] s = times(transposed(propagation), t);
      weightGradients[l] = times(transposed(inputs[l]), s);
      selfGradients[l] = times(transposed(inputs[l]), t);
      biasGradients[l] = columnSums(t);
      if (l > 0) {
        double[][] gradient = times(s, transposed(weights[l]));
        addTo(gradient, times(t, transposed(selfWeights[l])));
        t = positive(gradient, sums[l - 1]);
      }
    }
    return loss;
  }

  private double lossAndGradient(double[][] z, double[][] gradient) {
    int count = 0;
    for (byte part : split) {
      count += part == Split.TRAIN.code() ? 1 : 0;
    }
    double loss = 0;
    for (int v = 0; v < z.length; v++) {
      if (split[v] != Split.TRAIN.code()) {
        continue;
      }
      double sum = 0;
      for (double value : z[v]) {
        sum += Math.exp(value);
      }
      loss -= Math.log(Math.exp(z[v][labels[v]]) / sum) / count;
      for (int c = 0; c < z[v].length; c++) {
        gradient[v][c] = (Math.exp(z[v][c]) / sum - (c == labels[v] ? 1 : 0)) / count;
      }
    }
    return loss;
  }

  /// `values` where `where` is positive, else 0.
  private static double[][] positive(double[][] values, double[][] where) {
    double[][] result = new double[values.length][values[0].length];
    for (int i = 0; i < values.length; i++) {
      for (int j = 0; j < values[i].length; j++) {
        result[i][j] = where[i][j] > 0 ? values[i][j] : 0;
      }
    }
    return result;
  }

  /// `D_in^-1/2 (A^T + I) D_out^-1/2`.
  private static double[][] symmetric(GraphData dataset) {
    float[][] a = dataset.adjacency().toDense();
    int n = a.length;
    double[] in = new double[n];
    double[] out = new double[n];
    for (int u = 0; u < n; u++) {
      a[u][u] = 1;
      for (int v = 0; v < n; v++) {
        out[u] += a[u][v];
        in[v] += a[u][v];
      }
    }
    double[][] result = new double[n][n];
    for (int u = 0; u < n; u++) {
      for (int v = 0; v < n; v++) {
        result[v][u] = a[u][v] / Math.sqrt(in[v] * out[u]);
      }
    }
    return result;
  }

  /// `D_in^-1 A^T` of the pattern.
  private static double[][] mean(GraphData dataset) {
    float[][] a = dataset.adjacency().withValues(null).toDense();
    double[][] result = new double[a.length][a.length];
    for (int v = 0; v < a.length; v++) {
      int neighbours = 0;
      for (float[] row : a) {
        neighbours += row[v] > 0 ? 1 : 0;
      }
      for (int u = 0; u < a.length; u++) {
        result[v][u] = a[u][v] > 0 ? 1.0 / neighbours : 0;
      }
    }
    return result;
  }

  /// `A^T + I`.
  private static double[][] sum(GraphData dataset) {
    double[][] result = identity(dataset.vertices());
    float[][] a = dataset.adjacency().toDense();
    for (int u = 0; u < a.length; u++) {
      for (int v = 0; v < a.length; v++) {
        result[v][u] = u == v ? 1 : a[u][v];
      }
    }
    return result;
  }

  private static double[][] identity(int n) {
    double[][] result = new double[n][n];
    for (int i = 0; i < n; i++) {
      result[i][i] = 1;
    }
    return result;
  }

  private static double[][] plus(double[][] a, double[] row) {
    for (double[] each : a) {
      for (int j = 0; j < row.length; j++) {
        each[j] += row[j];
      }
    }
    return a;
  }

  private static void addTo(double[][] a, double[][] b) {
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        a[i][j] += b[i][j];
      }
    }
  }

  private static double[] columnSums(double[][] a) {
    double[] sums = new double[a[0].length];
    for (double[] row : a) {
      for (int j = 0; j < row.length; j++) {
        sums[j] += row[j];
      }
    }
    return sums;
  }
}
