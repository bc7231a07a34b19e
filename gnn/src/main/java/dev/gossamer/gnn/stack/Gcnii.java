package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.InitialResidualConvolution;
import dev.gossamer.nn.layers.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Deep graph convolutions with initial residual and identity mapping
/// ([InitialResidualConvolution]): one for each hidden layer, all of one width. The first includes
/// the projection of the features, the last the output projection.
///
/// @param teleport `alpha`, share of the projected features in each convolution
/// @param lambda strength of the weights: of convolution `l`, from 1, they have the share `beta_l =
///   log(lambda / l + 1)`
public record Gcnii(double teleport, double lambda) implements LayerKind {
  static final String NAME = "gcnii";

  /// As in the paper.
  public static final double DEFAULT_TELEPORT = 0.1;

  /// As in the paper for Cora.
  public static final double DEFAULT_LAMBDA = 0.5;

  /// Components of [#options].
  static final String TELEPORT = "teleport";

  static final String LAMBDA = "lambda";

  /// The largest, with which the weights of the first convolution have a share of 1.
  private static final double MOST_LAMBDA = Math.E - 1;

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if the share is not in `[0, 1)`, or the strength not positive
  ///   or above `e - 1`
  public Gcnii {
    InvalidSettingException.requireRate(TELEPORT, teleport);
    if (!(lambda > 0 && lambda <= MOST_LAMBDA)) {
      throw new InvalidSettingException(
          "{lambda}: expected more than 0 and at most e - 1 = 1.718, found " + lambda);
    }
  }

  /// [#DEFAULT_TELEPORT] and [#DEFAULT_LAMBDA].
  public Gcnii() {
    this(DEFAULT_TELEPORT, DEFAULT_LAMBDA);
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
  public boolean finishes() {
    return false;
  }

  @Override
  public boolean projectsFirst() {
    return true;
  }

  /// Returns the width of each hidden layer; the last convolution is the output layer.
  @Override
  public List<Integer> widths(List<Integer> hidden, int outputs) {
    List<Integer> widths = new ArrayList<>(hidden.subList(0, Math.max(0, hidden.size() - 1)));
    widths.add(outputs);
    return widths;
  }

  @Override
  public GraphLayer layer(Place place) {
    int width = place.network().hidden().getFirst();
    double beta = Math.log(lambda / (place.number() + 1) + 1);
    InitialResidualConvolution layer =
        new InitialResidualConvolution(place.name(), width, teleport, beta);
    InitialResidualConvolution begun = place.number() == 0 ? layer.projecting(place.in()) : layer;
    return place.last() ? begun.ending(place.out()) : begun;
  }

  @Override
  public Order order(int in, int out) {
    return Order.AGGREGATE_AND_KEEP;
  }

  @Override
  public void check(List<Integer> hidden, Normalisation normalisation, boolean selfLoops) {
    if (hidden.isEmpty()) {
      throw new InvalidSettingException(
          "{layers}: gcnii has a convolution for each hidden layer; expected at least 2, found 1");
    }
    if (hidden.stream().distinct().count() > 1) {
      throw new InvalidSettingException(
          "{hidden}: expected one width for all convolutions of gcnii, found " + hidden);
    }
  }

  @Override
  public Map<String, Object> options() {
    return Map.of(TELEPORT, teleport, LAMBDA, lambda);
  }
}
