package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Relations;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import java.lang.foreign.Arena;
import java.util.List;

/// A kind of layer that tells types of edges apart, and in directed graphs the two directions, by
/// means over the neighbours of each relation, which ignore the weights of edges. A graph without
/// types has one.
interface RelationalKind extends LayerKind {
  /// {@return the relations of an edge, a bit for each, by the number of their set; empty if they
  /// are not known}
  List<Long> sets();

  /// {@return a layer for the relations that are known}
  ///
  /// @param place its place in the network
  GraphLayer known(Place place);

  /// @throws IllegalStateException if the graph is not known
  @Override
  default GraphLayer layer(Place place) {
    if (relations().isEmpty()) {
      throw new IllegalStateException(name() + ": the relations of the graph are not known");
    }
    return known(place);
  }

  @Override
  default Sight sight() {
    return Sight.RELATIONS;
  }

  @Override
  default GraphData seen(Arena arena, GraphData data) {
    return Relations.of(arena, data);
  }

  @Override
  default Normalisation usualNormalisation() {
    return Normalisation.NONE;
  }

  @Override
  default boolean usualSelfLoops() {
    return false;
  }

  @Override
  default boolean weighsEdges() {
    return false;
  }

  /// Returns transformation first: rows of all parts are read once.
  @Override
  default Order order(int in, int out) {
    return Order.TRANSFORM_FIRST;
  }

  @Override
  default void check(List<Integer> hidden, Normalisation normalisation, boolean selfLoops) {
    if (normalisation != Normalisation.NONE) {
      throw new InvalidSettingException(
          "{normalisation}: %s takes the mean over the neighbours of each relation; expected none,"
                  .formatted(name())
              + " found "
              + normalisation);
    }
    if (selfLoops) {
      throw new InvalidSettingException(
          "{selfLoops}: %s has separate weights for a vertex's own row; expected none, found some"
              .formatted(name()));
    }
  }
}
