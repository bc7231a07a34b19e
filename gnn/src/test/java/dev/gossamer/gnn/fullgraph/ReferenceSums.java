package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.state.ParameterLayout;

/// The layers that sum neighbours with fixed weights, from their formulas: `P H W + b`, with
/// GraphSAGE also `H W_self`, in isomorphism networks a perceptron's second layer, on messages if
/// edges have features.
final class ReferenceSums extends ReferenceStack {
  private final double[][] propagation;
  private final double[][][] features;

  /// @param weights flat, laid out by `layout`
  /// @param seed of the dropouts
  /// @param step of the dropouts; -1 for none
  ReferenceSums(
      GraphData dataset,
      NetworkSettings settings,
      ParameterLayout layout,
      float[] weights,
      long seed,
      long step) {
    super(dataset, settings, layout, weights, seed, step);
    propagation = left(ReferenceNetwork.propagation(dataset, settings.kind()));
    features = ofEdges(dataset, settings.kind().edgeFeatures());
  }

  @Override
  double[][] layer(int l, double[][] h) {
    String name = "layers." + l;
    double[][] bias = parameter(name + ".bias");
    if (settings.kind() instanceof Sage) {
      double[][] neighbours = times(times(propagation, h), parameter(name + ".neighbour_weight"));
      return plus(plus(neighbours, times(h, parameter(name + ".self_weight"))), bias);
    }
    double[][] summed =
        settings.kind().edgeFeatures() > 0
            ? messages(h, parameter(name + ".edge.weight"))
            : times(propagation, h);
    double[][] sums = plus(times(summed, parameter(name + ".weight")), bias);
    if (settings.kind() instanceof Gin) {
      double[][] hidden = each(sums, z -> Math.max(0, z));
      return plus(
          times(hidden, parameter(name + ".output.weight")), parameter(name + ".output.bias"));
    }
    return sums;
  }

  /// `sum over u of P[v][u] ReLU(h[u] + W_e x[uv])`, but of a vertex's own row that row.
  private double[][] messages(double[][] h, double[][] weight) {
    double[][] sums = new double[h.length][h[0].length];
    for (int v = 0; v < h.length; v++) {
      for (int u = 0; u < h.length; u++) {
        double[] term = times(new double[][] {features[u][v]}, weight)[0];
        for (int j = 0; j < term.length; j++) {
          double message = u == v ? h[v][j] : Math.max(0, h[u][j] + term[j]);
          sums[v][j] += propagation[v][u] * message;
        }
      }
    }
    return sums;
  }
}
