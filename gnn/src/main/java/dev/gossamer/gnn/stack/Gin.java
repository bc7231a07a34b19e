package dev.gossamer.gnn.stack;

import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.IsomorphismConvolution;
import dev.gossamer.nn.layers.Order;

/// The layers of graph isomorphism networks ([IsomorphismConvolution]): sums over the neighbours
/// and the vertex itself, each followed by a perceptron.
public record Gin() implements LayerKind {
  static final String NAME = "gin";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Sight sight() {
    return Sight.ROWS;
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
    return new IsomorphismConvolution(place.name(), place.in(), place.out(), place.order());
  }

  @Override
  public Order order(int in, int out) {
    return Order.cheapest(in, out);
  }
}
