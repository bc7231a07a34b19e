package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.layers.SageConvolution;
import java.util.List;

/// GraphSAGE with the mean over the neighbours ([SageConvolution]). The mean ignores the weights of
/// edges.
public record Sage() implements LayerKind {
  static final String NAME = "sage";

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
    return Normalisation.ROW_MEAN;
  }

  @Override
  public boolean usualSelfLoops() {
    return false;
  }

  @Override
  public boolean weighsEdges() {
    return false;
  }

  /// Returns 0.2: a vertex's own features have separate weights, which overfit to sparse features
  /// quickly.
  @Override
  public double usualInputDropout() {
    return 0.2;
  }

  @Override
  public GraphLayer layer(Place place) {
    return new SageConvolution(place.name(), place.in(), place.out(), place.order());
  }

  @Override
  public Order order(int in, int out) {
    return Order.AGGREGATE_AND_KEEP;
  }

  @Override
  public void check(List<Integer> hidden, Normalisation normalisation, boolean selfLoops) {
    if (normalisation != Normalisation.ROW_MEAN || selfLoops) {
      throw new InvalidSettingException(
          "{normalisation}: sage takes the mean over the neighbours; expected row-mean and no self"
              + " loops, found %s%s".formatted(normalisation, selfLoops ? " with self loops" : ""));
    }
  }
}
