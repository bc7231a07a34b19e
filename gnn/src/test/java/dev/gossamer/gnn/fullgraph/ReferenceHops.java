package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.Arrays;

/// Networks on hops of the features, from the formulas of their papers: `P^K X W + b`, and
/// `sigma([X W_0 | P X W_1 | .. | P^K X W_K] + b)`, followed by a perceptron.
final class ReferenceHops extends ReferenceStack {
  private final double[][] propagation;

  /// @param weights flat, laid out by `layout`
  /// @param seed of the dropouts
  /// @param step of the dropouts; -1 for none
  ReferenceHops(
      GraphData dataset,
      NetworkSettings settings,
      ParameterLayout layout,
      float[] weights,
      long seed,
      long step) {
    super(dataset, settings, layout, weights, seed, step);
    propagation = ReferenceNetwork.propagation(dataset, new Gcn());
  }

  @Override
  double[][] input(double[][] x) {
    return switch (settings.kind()) {
      case Sgc sgc -> power(propagation, sgc.hops(), x);
      case Sign sign -> {
        double[][] all = x;
        for (int k = 1; k <= sign.hops(); k++) {
          all = beside(all, power(propagation, k, x));
        }
        yield all;
      }
      default -> throw new IllegalArgumentException(settings.kind().name());
    };
  }

  @Override
  double[][] layer(int l, double[][] h) {
    String name = "layers." + l;
    if (l > 0 || !(settings.kind() instanceof Sign sign)) {
      return plus(times(h, parameter(name + ".weight")), parameter(name + ".bias"));
    }
    int width = h[0].length / (sign.hops() + 1);
    double[][] z = new double[h.length][0];
    for (int k = 0; k <= sign.hops(); k++) {
      int begin = k * width;
      double[][] hop =
          Arrays.stream(h)
              .map(row -> Arrays.copyOfRange(row, begin, begin + width))
              .toArray(double[][]::new);
      z = beside(z, times(hop, parameter("%s.hop.%d.weight".formatted(name, k))));
    }
    return plus(z, parameter(name + ".bias"));
  }

  /// `P^k X`.
  static double[][] power(double[][] propagation, int k, double[][] x) {
    double[][] result = x;
    for (int i = 0; i < k; i++) {
      result = times(propagation, result);
    }
    return result;
  }
}
