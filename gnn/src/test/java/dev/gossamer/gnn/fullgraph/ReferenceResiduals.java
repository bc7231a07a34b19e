package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.state.ParameterLayout;

/// Networks that return to what they made of the features, from the formulas of their papers: `Z =
/// (1 - a) P Z + a H` and `H' = relu(((1 - a) P H + a H_0) ((1 - b) I + b W))`.
final class ReferenceResiduals extends ReferenceStack {
  /// Dropout within layers: its first stream is that of the first such place of the first layer.
  private static final int STREAM = 1 << 13;

  private final double[][] propagation;

  /// @param weights flat, laid out by `layout`
  /// @param seed of the dropouts
  /// @param step of the dropouts; -1 for none
  ReferenceResiduals(
      GraphData dataset,
      NetworkSettings settings,
      ParameterLayout layout,
      float[] weights,
      long seed,
      long step) {
    super(dataset, settings, layout, weights, seed, step);
    propagation = left(ReferenceNetwork.propagation(dataset, new Gcn()));
  }

  @Override
  double[][] outputs(double[][] input) {
    return switch (settings.kind()) {
      case Appnp appnp -> propagated(appnp, input);
      case Gcnii gcnii -> convolved(gcnii, input);
      default -> throw new IllegalArgumentException(settings.kind().name());
    };
  }

  @Override
  double[][] layer(int l, double[][] h) {
    throw new UnsupportedOperationException("layers are not independent");
  }

  private double[][] propagated(Appnp appnp, double[][] input) {
    double[][] h = dense("layers.0.dense.0", input);
    for (int i = 1; i <= settings.hidden().size(); i++) {
      h = dense("layers.0.dense." + i, dropped(positive(h), i * STREAM, settings.dropout()));
    }
    double[][] z = h;
    for (int k = 0; k < appnp.hops(); k++) {
      z = mixed(times(propagation, z), h, appnp.teleport());
    }
    return z;
  }

  private double[][] convolved(Gcnii gcnii, double[][] input) {
    double[][] initial = positive(dense("layers.0.dense.0", input));
    double[][] h = dropped(initial, STREAM, settings.dropout());
    int last = settings.hidden().size() - 1;
    for (int l = 0; l <= last; l++) {
      double beta = Math.log(gcnii.lambda() / (l + 1) + 1);
      double[][] m = mixed(times(propagation, h), initial, gcnii.teleport());
      double[][] z = mixed(m, times(m, parameter("layers." + l + ".weight")), beta);
      int stream = l < last ? l + 1 : 2 * STREAM + l;
      h = dropped(positive(z), stream, settings.dropout());
    }
    return dense("layers." + last + ".output", h);
  }

  private double[][] dense(String name, double[][] h) {
    return plus(times(h, parameter(name + ".weight")), parameter(name + ".bias"));
  }

  private static double[][] positive(double[][] z) {
    return each(z, value -> Math.max(0, value));
  }

  /// `(1 - share) a + share b`.
  private static double[][] mixed(double[][] a, double[][] b, double share) {
    return plus(each(a, value -> (1 - share) * value), each(b, value -> share * value));
  }
}
