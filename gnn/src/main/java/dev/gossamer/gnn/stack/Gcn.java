package dev.gossamer.gnn.stack;

import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphConvolution;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;

/// Graph convolutions ([GraphConvolution]).
public record Gcn() implements LayerKind {
  static final String NAME = "gcn";

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
    return Normalisation.SYMMETRIC;
  }

  @Override
  public boolean usualSelfLoops() {
    return true;
  }

  @Override
  public GraphLayer layer(Place place) {
    return new GraphConvolution(place.name(), place.in(), place.out(), place.order());
  }

  @Override
  public Order order(int in, int out) {
    return Order.cheapest(in, out);
  }
}
