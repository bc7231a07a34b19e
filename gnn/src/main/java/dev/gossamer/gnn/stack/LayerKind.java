package dev.gossamer.gnn.stack;

import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A kind of graph layer, and all that a network of such layers does differently from others. Each
/// kind is one file, and is registered in [LayerKinds]; nothing else names it.
///
/// A kind is a value: it holds the options that only its layers have.
public interface LayerKind {
  /// {@return what users call it: `gcn`}
  String name();

  /// {@return how its layers look at the graph}
  Sight sight();

  /// {@return the normalisation of the graph that its networks have by default}
  Normalisation usualNormalisation();

  /// {@return whether every vertex is its own neighbour by default}
  boolean usualSelfLoops();

  /// {@return a layer}
  ///
  /// @param place where it is in the network
  GraphLayer layer(Place place);

  /// {@return the order of products that is cheapest in a hidden or output layer on a whole graph}
  ///
  /// @param in width of the input
  /// @param out width of the output
  Order order(int in, int out);

  /// {@return whether the weights of edges count; else an edge is an edge}
  default boolean weighsEdges() {
    return true;
  }

  /// {@return what is behind a hidden layer}
  default Activation.Function activation() {
    return Activation.Function.RELU;
  }

  /// {@return the share of sparse input features that training on minibatches drops by default}
  default double usualInputDropout() {
    return 0;
  }

  /// {@return what the width of a hidden layer must be a multiple of}
  default int widthUnit() {
    return 1;
  }

  /// {@return numbers that a layer holds for each edge that it looks at; 0 if it aggregates rows}
  default int numbersPerEdge() {
    return 0;
  }

  /// {@return what training drops of the weights of a layer's edges; null if nothing}
  ///
  /// @param l number of the layer, from 0
  /// @param seed of all draws
  /// @param step epoch or batch whose dropout is drawn
  default @Nullable EdgeDropout edgeDropout(int l, long seed, long step) {
    return null;
  }

  /// Refuses settings that its layers cannot have.
  ///
  /// @param hidden width of each hidden layer
  /// @param normalisation of the graph
  /// @param selfLoops whether every vertex is its own neighbour
  /// @throws dev.gossamer.base.InvalidSettingException that names them
  default void check(List<Integer> hidden, Normalisation normalisation, boolean selfLoops) {}

  /// {@return the options that only this kind has, by component: numbers and names, whose text
  /// [LayerKinds#named] reads back}
  default Map<String, Object> options() {
    return Map.of();
  }

  /// How layers look at the graph.
  enum Sight {
    /// Not at all.
    NONE,
    /// Through a linear map of the neighbours' rows.
    ROWS,
    /// Edge by edge.
    EDGES
  }

  /// Where a layer is in its network.
  ///
  /// @param name prefix of its parameters: `layers.0`
  /// @param in width of its input
  /// @param out width of its output
  /// @param last whether it is the output layer
  /// @param order of its products; a kind that has one order only ignores it
  record Place(String name, int in, int out, boolean last, Order order) {}
}
