package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.state.ParameterLayout;

/// The layers that sum neighbours with fixed weights, from their formulas: `P H W + b`, with
/// GraphSAGE also `H W_self`, in isomorphism networks a perceptron's second layer.
final class ReferenceSums extends ReferenceStack {
  private final double[][] propagation;

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
  }

  @Override
  double[][] layer(int l, double[][] h) {
    String name = "layers." + l;
    double[][] bias = parameter(name + ".bias");
    if (settings.kind() instanceof Sage) {
      double[][] neighbours = times(times(propagation, h), parameter(name + ".neighbour_weight"));
      return plus(plus(neighbours, times(h, parameter(name + ".self_weight"))), bias);
    }
    double[][] sums = plus(times(times(propagation, h), parameter(name + ".weight")), bias);
    if (settings.kind() instanceof Gin) {
      double[][] hidden = each(sums, z -> Math.max(0, z));
      return plus(
          times(hidden, parameter(name + ".output.weight")), parameter(name + ".output.bias"));
    }
    return sums;
  }
}
