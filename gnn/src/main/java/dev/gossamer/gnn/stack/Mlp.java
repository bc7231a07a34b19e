package dev.gossamer.gnn.stack;

import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphConvolution;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;

/// The layers of [Gcn] without the graph: a baseline.
public record Mlp() implements LayerKind {
  static final String NAME = "mlp";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Sight sight() {
    return Sight.NONE;
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
    return new GraphConvolution(place.name(), place.in(), place.out(), Order.TRANSFORM_ONLY);
  }

  @Override
  public Order order(int in, int out) {
    return Order.TRANSFORM_ONLY;
  }
}
