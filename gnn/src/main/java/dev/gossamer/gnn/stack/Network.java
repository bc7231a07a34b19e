package dev.gossamer.gnn.stack;

import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// The layers of a network and its parameters, which do not depend on the order of products.
///
/// @param layers first to last
/// @param layout the parameters
public record Network(List<GraphLayer> layers, ParameterLayout layout) {
  /// Copies the list.
  public Network {
    layers = List.copyOf(layers);
  }

  /// Chooses the order of products of a layer.
  @FunctionalInterface
  public interface Orders {
    /// {@return the order of the products of a layer}
    ///
    /// @param l number of the layer, from 0
    /// @param in width of the input
    /// @param out width of the output
    Order of(int l, int in, int out);
  }

  /// {@return the network of some settings}
  ///
  /// @param settings shape of the network
  /// @param features columns of the features
  /// @param classes outputs of the network
  /// @param orders of the products
  public static Network of(NetworkSettings settings, int features, int classes, Orders orders) {
    Finish finish = settings.finish();
    List<Integer> widths = settings.graphWidths(classes);
    List<GraphLayer> finished = new ArrayList<>();
    int in =
        finish.inputProjection()
            ? settings.hidden().getFirst()
            : settings.precomputed().width(features);
    for (int l = 0; l < widths.size(); l++) {
      int out = widths.get(l);
      Order order = orders.of(l, in, out);
      boolean hidden = settings.isHidden(l);
      LayerKind.Place place = new LayerKind.Place(l, in, out, !hidden, order, settings);
      GraphLayer layer = settings.kind().layer(place);
      finished.add(hidden ? finish.after(layer, settings.kind(), l == 0) : layer);
      in = out;
    }
    if (finish.inputProjection()) {
      finished.set(0, finish.projected(finished.getFirst(), settings.kind(), features));
    }
    List<GraphLayer> layers = finish.jumping().over(finished, classes);
    ParameterLayout.Builder layout = ParameterLayout.builder();
    boolean all = settings.decayed() == NetworkSettings.Decayed.ALL;
    for (int l = 0; l < layers.size(); l++) {
      layers.get(l).declare(layout, l == 0 || all);
    }
    settings.decoder().declare(layout, classes, all);
    return new Network(layers, layout.build());
  }

  /// {@return columns of the rows that layers leave for later ones; 0 if none does}
  public int carriedWidth() {
    return layers.stream().mapToInt(GraphLayer::carriedWidth).max().orElse(0);
  }

  /// {@return the number of rows that layers leave for later ones: the targets of the first layer,
  /// or of the last, if that joins them}
  ///
  /// @param sizes of each layer's passes
  public long carriedRows(List<PassSize> sizes) {
    return (layers.getLast().joinsCarried() ? sizes.getLast() : sizes.getFirst()).targets();
  }

  /// {@return bytes of parameters, gradients, optimizer state and the best parameters so far}
  ///
  /// @param rule of the optimizer
  public long stateBytes(OptimizerRule rule) {
    return DenseState.bytes(layout) + Optimizer.bytes(rule, layout) + layout.count() * Float.BYTES;
  }
}
