package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.layers.PersonalizedPropagation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/// Approximate personalised propagation of neural predictions ([PersonalizedPropagation]): a
/// perceptron with the hidden layers predicts from the features of each vertex, and its predictions
/// are propagated. Each propagation is a layer; the first includes the perceptron.
///
/// @param hops number of propagations
/// @param teleport share of the perceptron's own prediction in each
public record Appnp(int hops, double teleport) implements LayerKind {
  static final String NAME = "appnp";

  /// As in the paper.
  public static final int DEFAULT_HOPS = 10;

  /// As in the paper.
  public static final double DEFAULT_TELEPORT = 0.1;

  /// Components of [#options].
  static final String HOPS = "hops";

  static final String TELEPORT = "teleport";

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there is no hop, there are too many, or the share is not in
  ///   `[0, 1)`
  public Appnp {
    Hops.requireCount(hops);
    InvalidSettingException.requireRate(TELEPORT, teleport);
  }

  /// [#DEFAULT_HOPS] hops with [#DEFAULT_TELEPORT].
  public Appnp() {
    this(DEFAULT_HOPS, DEFAULT_TELEPORT);
  }

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
  public boolean activates() {
    return false;
  }

  @Override
  public boolean finishes() {
    return false;
  }

  @Override
  public boolean projectsFirst() {
    return true;
  }

  /// Returns the width of the predictions, for each propagation.
  @Override
  public List<Integer> widths(List<Integer> hidden, int outputs) {
    return Collections.nCopies(hops, outputs);
  }

  @Override
  public GraphLayer layer(Place place) {
    if (place.number() > 0) {
      return PersonalizedPropagation.later(place.name(), place.out(), teleport);
    }
    NetworkSettings network = place.network();
    List<Integer> widths = new ArrayList<>();
    widths.add(place.in());
    widths.addAll(network.hidden());
    widths.add(place.out());
    boolean all = network.decayed() == NetworkSettings.Decayed.ALL;
    return PersonalizedPropagation.first(place.name(), widths, all, teleport);
  }

  @Override
  public Order order(int in, int out) {
    return Order.TRANSFORM_FIRST;
  }

  @Override
  public Map<String, Object> options() {
    return Map.of(HOPS, hops, TELEPORT, teleport);
  }
}
