package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.DynamicGraphAttention;
import dev.gossamer.nn.layers.GraphAttention;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Graph attention ([GraphAttention], [DynamicGraphAttention]): heads are concatenated in a hidden
/// layer and averaged in the last. Attention replaces the weights of edges, and reads their
/// features.
///
/// @param heads of each layer; must divide the widths of hidden layers
/// @param variant how scores are computed, and the position of bias and nonlinearity
/// @param attentionDropout dropout rate of attention coefficients
/// @param edgeFeatures features of each edge of the graph; 0 if there are none, or if it is not
///   known yet
public record Gat(
    int heads, GraphAttention.Variant variant, double attentionDropout, int edgeFeatures)
    implements LayerKind {
  static final String NAME = "gat";

  /// Enough for a vertex to attend to different neighbours; each head has an even share of the
  /// width.
  public static final int DEFAULT_HEADS = 4;

  /// Components of [#options].
  static final String HEADS = "heads";

  static final String VARIANT = "gatVariant";
  static final String DROPOUT = "attentionDropout";

  /// The first of the random streams that drop attention coefficients, one a layer.
  private static final int STREAM = 1 << 12;

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there is no head, the rate is not in `[0, 1)`, or a number
  ///   of features is negative
  public Gat {
    InvalidSettingException.requireAtLeast(HEADS, heads, 1);
    InvalidSettingException.requireRate(DROPOUT, attentionDropout);
    InvalidSettingException.requireAtLeast("edgeFeatures", edgeFeatures, 0);
  }

  /// Attention on a graph that is not known yet.
  ///
  /// @param heads of each layer; must divide the widths of hidden layers
  /// @param variant how scores are computed, and the position of bias and nonlinearity
  /// @param attentionDropout dropout rate of attention coefficients
  public Gat(int heads, GraphAttention.Variant variant, double attentionDropout) {
    this(heads, variant, attentionDropout, 0);
  }

  /// [#DEFAULT_HEADS] heads, bias and ReLU before attention, no dropout of coefficients.
  public Gat() {
    this(DEFAULT_HEADS, GraphAttention.Variant.MB, 0);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Sight sight() {
    return Sight.EDGES;
  }

  @Override
  public Gat onEdges(int width) {
    return new Gat(heads, variant, attentionDropout, width);
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
  public boolean weighsEdges() {
    return false;
  }

  /// Returns ELU except with [GraphAttention.Variant#MB], as in the paper of the others.
  @Override
  public Activation.Function activation() {
    return variant == GraphAttention.Variant.MB
        ? Activation.Function.RELU
        : Activation.Function.ELU;
  }

  @Override
  public int widthUnit() {
    return heads;
  }

  @Override
  public int numbersPerEdge() {
    boolean scores = edgeFeatures > 0 && variant != GraphAttention.Variant.V2;
    return scores ? 2 * heads : heads;
  }

  @Override
  public GraphLayer layer(Place place) {
    int width = place.last() ? place.out() : place.out() / heads;
    return variant == GraphAttention.Variant.V2
        ? new DynamicGraphAttention(
            place.name(), place.in(), heads, width, place.last(), edgeFeatures)
        : new GraphAttention(
            place.name(), place.in(), heads, width, variant, place.last(), edgeFeatures);
  }

  /// Returns transformation first: scores are computed from its result.
  @Override
  public Order order(int in, int out) {
    return Order.TRANSFORM_FIRST;
  }

  @Override
  public @Nullable EdgeDropout edgeDropout(int l, long seed, long step) {
    return attentionDropout == 0
        ? null
        : new EdgeDropout(seed, STREAM + l, (float) attentionDropout, step);
  }

  @Override
  public void check(List<Integer> hidden, Normalisation normalisation, boolean selfLoops) {
    if (normalisation != Normalisation.NONE) {
      throw new InvalidSettingException(
          "{normalisation}: gat weighs neighbours by attention; expected none, found "
              + normalisation);
    }
    for (int width : hidden) {
      if (width % heads != 0) {
        throw new InvalidSettingException(
            "{hidden}: expected a multiple of the %d heads, found %d".formatted(heads, width));
      }
    }
  }

  @Override
  public Map<String, Object> options() {
    return Map.of(
        HEADS, heads, VARIANT, variant.name().toLowerCase(Locale.ROOT), DROPOUT, attentionDropout);
  }
}
