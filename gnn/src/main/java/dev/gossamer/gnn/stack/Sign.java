package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphConvolution;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.HopProjection;
import dev.gossamer.nn.layers.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Scalable inception graph networks (F. Frasca et al., 2020, equation 6): `X, Â X, .. Â^K X` are
/// computed once, before the first epoch; the first layer multiplies each by weights of its own
/// ([HopProjection]), and the others are a perceptron on the results side by side.
///
/// The paper has powers of other matrices besides, of triangles and of personalised PageRank, and
/// the activation PReLU; here are powers of `Â` only, and ReLU, or what [Finish] has.
///
/// @param hops `K`
public record Sign(int hops) implements LayerKind {
  static final String NAME = "sign";

  /// Within two hops there is most of what the paper gains; it has at most 5.
  public static final int DEFAULT_HOPS = 2;

  /// Component of [#options].
  static final String HOPS = "hops";

  /// Checks the component.
  ///
  /// @throws InvalidSettingException if there is no hop, or there are too many
  public Sign {
    Hops.requireCount(hops);
  }

  /// [#DEFAULT_HOPS] hops.
  public Sign() {
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
    return new Hops(hops, Hops.Kept.ALL);
  }

  @Override
  public Normalisation usualNormalisation() {
    return Normalisation.SYMMETRIC;
  }

  @Override
  public boolean usualSelfLoops() {
    return true;
  }

  /// Returns the first width for each hop, side by side, and the others as they are.
  @Override
  public List<Integer> widths(List<Integer> hidden, int outputs) {
    List<Integer> widths = new ArrayList<>(hidden);
    widths.add(outputs);
    if (!hidden.isEmpty()) {
      widths.set(0, precomputed().width(hidden.getFirst()));
    }
    return widths;
  }

  @Override
  public GraphLayer layer(Place place) {
    return place.number() == 0
        ? new HopProjection(place.name(), precomputed().blocks(), place.in(), place.out())
        : new GraphConvolution(place.name(), place.in(), place.out(), Order.TRANSFORM_ONLY);
  }

  @Override
  public Order order(int in, int out) {
    return Order.TRANSFORM_ONLY;
  }

  @Override
  public void check(List<Integer> hidden, Normalisation normalisation, boolean selfLoops) {
    if (hidden.isEmpty()) {
      throw new InvalidSettingException(
          "{layers}: sign has a hidden layer for each hop; expected at least 2, found 1");
    }
  }

  @Override
  public Map<String, Object> options() {
    return Map.of(HOPS, hops);
  }
}
