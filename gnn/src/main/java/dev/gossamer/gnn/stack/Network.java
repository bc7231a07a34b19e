package dev.gossamer.gnn.stack;

import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.GraphAttention;
import dev.gossamer.nn.GraphConvolution;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.Order;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.SageConvolution;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The layers of a network and its parameters, which do not depend on the order of products.
///
/// @param layers first to last
/// @param layout the parameters
public record Network(List<GraphLayer> layers, ParameterLayout layout) {
  public Network {
    layers = List.copyOf(layers);
  }

  /// Which product of a layer comes first.
  @FunctionalInterface
  public interface Orders {
    /// @param l number of the layer, from 0
    Order of(int l, int in, int out);
  }

  /// The layers that settings ask for.
  ///
  /// @param features width of the input
  public static Network of(NetworkSettings settings, int features, int classes, Orders orders) {
    List<Integer> widths = new ArrayList<>(settings.hidden());
    widths.add(classes);
    List<GraphLayer> layers = new ArrayList<>();
    ParameterLayout.Builder layout = ParameterLayout.builder();
    int in = features;
    for (int l = 0; l < widths.size(); l++) {
      int out = widths.get(l);
      String name = "layers." + l;
      Order order = orders.of(l, in, out);
      GraphLayer layer =
          switch (settings.model()) {
            case GCN, MLP -> new GraphConvolution(name, in, out, order);
            case SAGE -> new SageConvolution(name, in, out, order);
            case GAT -> attention(settings, name, in, out, l == widths.size() - 1);
          };
      layer.declare(layout, l == 0 || !settings.decayFirstLayerOnly());
      layers.add(layer);
      in = out;
    }
    return new Network(layers, layout.build());
  }

  private static GraphLayer attention(
      NetworkSettings settings, String name, int in, int out, boolean last) {
    NetworkSettings.Attention attention = Objects.requireNonNull(settings.attention());
    int width = last ? out : out / attention.heads();
    return new GraphAttention(name, in, attention.heads(), width, attention.variant(), last);
  }

  /// Bytes of parameters, gradients, what the optimizer keeps, and the best parameters so far.
  public long stateBytes(OptimizerRule rule) {
    return DenseState.bytes(layout) + Optimizer.bytes(rule, layout) + layout.count() * Float.BYTES;
  }
}
