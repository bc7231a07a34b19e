package dev.gossamer.gnn.stack;

import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphConvolution;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import java.util.Map;

/// Simplified graph convolutions (F. Wu et al., ICML 2019, equation 8): `softmax(Â^K X W + b)`,
/// where `Â^K X` is computed once, before the first epoch. The network is a logistic regression, or
/// with hidden layers, which the paper does not have, a perceptron.
///
/// @param hops `K`
public record Sgc(int hops) implements LayerKind {
  static final String NAME = "sgc";

  /// As in the paper.
  public static final int DEFAULT_HOPS = 2;

  /// Component of [#options].
  static final String HOPS = "hops";

  /// Checks the component.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if there is no hop, or there are too many
  public Sgc {
    Hops.requireCount(hops);
  }

  /// [#DEFAULT_HOPS] hops.
  public Sgc() {
    this(DEFAULT_HOPS);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Sight sight() {
    return Sight.NONE;
  }

  @Override
  public Hops precomputed() {
    return new Hops(hops, Hops.Kept.LAST);
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
  public int usualLayers() {
    return 1;
  }

  @Override
  public GraphLayer layer(Place place) {
    return new GraphConvolution(place.name(), place.in(), place.out(), Order.TRANSFORM_ONLY);
  }

  @Override
  public Order order(int in, int out) {
    return Order.TRANSFORM_ONLY;
  }

  @Override
  public Map<String, Object> options() {
    return Map.of(HOPS, hops);
  }
}
