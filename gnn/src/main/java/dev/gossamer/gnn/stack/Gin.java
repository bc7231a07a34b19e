package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.EdgeIsomorphismConvolution;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.IsomorphismConvolution;
import dev.gossamer.nn.layers.Order;

/// The layers of graph isomorphism networks ([IsomorphismConvolution]): sums over the neighbours
/// and the vertex itself, each followed by a perceptron. If edges have features, messages read them
/// ([EdgeIsomorphismConvolution]).
///
/// @param edgeFeatures features of each edge of the graph; 0 if there are none, or if it is not
///   known yet
public record Gin(int edgeFeatures) implements LayerKind {
  static final String NAME = "gin";

  /// Checks the number.
  ///
  /// @throws InvalidSettingException if it is negative
  public Gin {
    InvalidSettingException.requireAtLeast("edgeFeatures", edgeFeatures, 0);
  }

  /// Layers on a graph that is not known yet.
  public Gin() {
    this(0);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Sight sight() {
    return edgeFeatures > 0 ? Sight.MESSAGES : Sight.ROWS;
  }

  @Override
  public Gin onEdges(int width) {
    return new Gin(width);
  }

  @Override
  public Normalisation usualNormalisation() {
    return Normalisation.NONE;
  }

  @Override
  public boolean usualSelfLoops() {
    return true;
  }

  @Override
  public GraphLayer layer(Place place) {
    return edgeFeatures > 0
        ? new EdgeIsomorphismConvolution(place.name(), place.in(), place.out(), edgeFeatures)
        : new IsomorphismConvolution(place.name(), place.in(), place.out(), place.order());
  }

  /// With features of edges always aggregates first.
  @Override
  public Order order(int in, int out) {
    return edgeFeatures > 0 ? Order.AGGREGATE_AND_KEEP : Order.cheapest(in, out);
  }
}
