package dev.gossamer.gnn.stack;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Relations;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A kind of graph layer, with everything in which its networks differ from others. Each kind is
/// one file and is registered in [LayerKinds]; nothing else names it.
///
/// A kind is a value that holds the options of its layers.
public interface LayerKind {
  /// {@return its name for users: `gcn`}
  String name();

  /// {@return how its layers read the graph}
  Sight sight();

  /// {@return a graph as its layers read it}
  ///
  /// @param arena owner of what is made of it
  /// @param data the graph
  default GraphData seen(Arena arena, GraphData data) {
    return data;
  }

  /// {@return names of the relations that its layers tell apart; empty if they tell none apart, or
  /// if the graph is not known yet}
  default List<String> relations() {
    return List.of();
  }

  /// {@return the same kind for a graph of some relations}
  ///
  /// @param relations of the graph
  default LayerKind on(Relations relations) {
    return this;
  }

  /// {@return features of each edge that its layers read; 0 if they read none, or if the graph is
  /// not known yet}
  default int edgeFeatures() {
    return 0;
  }

  /// {@return the same kind for a graph whose edges have features, which it reads if it can}
  ///
  /// @param width features of each edge; 0 for none
  default LayerKind onEdges(int width) {
    return this;
  }

  /// {@return the default normalisation of the graph}
  Normalisation usualNormalisation();

  /// {@return whether every vertex is its own neighbour by default}
  boolean usualSelfLoops();

  /// {@return the width of the output of each layer, first to last}
  ///
  /// @param hidden width of each hidden layer
  /// @param outputs of the network
  default List<Integer> widths(List<Integer> hidden, int outputs) {
    List<Integer> widths = new ArrayList<>(hidden);
    widths.add(outputs);
    return widths;
  }

  /// {@return a layer}
  ///
  /// @param place its place in the network
  GraphLayer layer(Place place);

  /// {@return the cheapest order of products in a hidden or output layer on a whole graph}
  ///
  /// @param in width of the input
  /// @param out width of the output
  Order order(int in, int out);

  /// {@return what the network reads in place of the features, computed before the first epoch} Its
  /// layers do not look at the graph themselves, unless it is [Hops#NONE].
  default Hops precomputed() {
    return Hops.NONE;
  }

  /// {@return the default number of layers, including the output layer}
  default int usualLayers() {
    return 2;
  }

  /// {@return whether layers use the weights of edges}
  default boolean weighsEdges() {
    return true;
  }

  /// {@return the activation after a hidden layer}
  default Activation.Function activation() {
    return Activation.Function.RELU;
  }

  /// {@return the default dropout rate of sparse input features in minibatches}
  default double usualInputDropout() {
    return 0;
  }

  /// {@return whether that activation, with dropout, follows the output of each layer but the last}
  default boolean activates() {
    return true;
  }

  /// {@return whether hidden layers may be followed by what [Finish] has}
  default boolean finishes() {
    return true;
  }

  /// {@return whether the first layer of each network projects the features of each source before
  /// it aggregates; see [NetworkSettings#projectsFirst]}
  default boolean projectsFirst() {
    return false;
  }

  /// {@return the number that must divide the width of a hidden layer}
  default int widthUnit() {
    return 1;
  }

  /// {@return numbers that a layer stores per edge; 0 if it aggregates rows}
  default int numbersPerEdge() {
    return 0;
  }

  /// {@return the dropout of the weights of a layer's edges in training; null if there is none}
  ///
  /// @param l number of the layer, from 0
  /// @param seed of all draws
  /// @param step epoch or batch whose dropout is drawn
  default @Nullable EdgeDropout edgeDropout(int l, long seed, long step) {
    return null;
  }

  /// Checks settings of its layers.
  ///
  /// @param hidden width of each hidden layer
  /// @param normalisation of the graph
  /// @param selfLoops whether every vertex is its own neighbour
  /// @throws dev.gossamer.base.InvalidSettingException naming those that its layers do not support
  default void check(List<Integer> hidden, Normalisation normalisation, boolean selfLoops) {}

  /// {@return the options of this kind, by component: numbers and names, whose text
  /// [LayerKinds#named] reads}
  default Map<String, Object> options() {
    return Map.of();
  }

  /// How layers read the graph.
  enum Sight {
    /// Not at all.
    NONE,
    /// Through a linear map of the neighbours' rows.
    ROWS,
    /// Edge by edge, weighing each by attention.
    EDGES,
    /// Edge by edge, in a graph of relations ([LayerKind#seen]).
    RELATIONS,
    /// Edge by edge, as sums of messages that the entries of the matrix weigh.
    MESSAGES;

    /// {@return whether layers read edges}
    public boolean ofEdges() {
      return this == EDGES || this == RELATIONS || this == MESSAGES;
    }

    /// {@return whether layers compute sums with the entries of the matrix, normalised as the
    /// network says}
    public boolean sums() {
      return this == ROWS || this == MESSAGES;
    }
  }

  /// The place of a layer in its network.
  ///
  /// @param number of the layer, from 0
  /// @param in width of its input
  /// @param out width of its output
  /// @param last whether it is the output layer
  /// @param order of its products; a kind that has one order only ignores it
  /// @param network shape of the whole network
  record Place(int number, int in, int out, boolean last, Order order, NetworkSettings network) {
    /// {@return prefix of its parameters: `layers.0`}
    public String name() {
      return "layers." + number;
    }
  }
}
