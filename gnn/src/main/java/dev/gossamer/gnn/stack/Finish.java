package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.FinishedLayer;
import dev.gossamer.nn.layers.GraphConvolution;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.layers.ProjectedLayer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is around the graph layers. Each hidden layer is followed by this, besides dropout; the
/// output layer is followed by nothing. With jumping knowledge, the last layer is a hidden one, as
/// wide as that before it, and a dense layer on the combination of all of them computes the
/// outputs. With an input projection, the first layer reads a dense layer of the features that is
/// as wide as itself, with its activation and dropout ([ProjectedLayer]).
///
/// @param activation nonlinear function; null for that of the kind of layer
/// @param norm normalisation before the activation
/// @param residual whether the input of each hidden layer is added to its output, of the first only
///   with an input projection; all hidden layers then have one width
/// @param jumping how hidden layers are combined for the outputs; by maximum or sum, they have one
///   width
/// @param inputProjection whether the first layer reads a projection of the features
/// @param feedForward whether a dense layer follows the activation of each hidden layer, before the
///   residual connection
public record Finish(
    Activation.@Nullable Function activation,
    Norm norm,
    boolean residual,
    Jumping jumping,
    boolean inputProjection,
    boolean feedForward) {
  /// The activation of the kind of layer, and nothing else.
  public static final Finish USUAL = new Finish(null, Norm.NONE, false);

  /// End of the prefix of the parameters of the input projection.
  private static final String PROJECTION = ".projection";

  /// What follows the layers of a network without jumping knowledge and further dense layers.
  ///
  /// @param activation nonlinear function; null for that of the kind of layer
  /// @param norm normalisation before the activation
  /// @param residual whether the input of each hidden layer but the first is added to its output
  public Finish(Activation.@Nullable Function activation, Norm norm, boolean residual) {
    this(activation, norm, residual, Jumping.NONE, false, false);
  }

  /// {@return a copy with another combination of hidden layers}
  ///
  /// @param other how hidden layers are combined for the outputs
  public Finish withJumping(Jumping other) {
    return new Finish(activation, norm, residual, other, inputProjection, feedForward);
  }

  /// {@return a copy with an input projection, or without one}
  ///
  /// @param projects whether the first layer reads a projection of the features
  public Finish withInputProjection(boolean projects) {
    return new Finish(activation, norm, residual, jumping, projects, feedForward);
  }

  /// {@return a copy with a dense layer after the activation of each hidden layer, or without them}
  ///
  /// @param feeds whether a dense layer follows
  public Finish withFeedForward(boolean feeds) {
    return new Finish(activation, norm, residual, jumping, inputProjection, feeds);
  }

  /// {@return whether hidden layers are combined for the outputs}
  public boolean jumps() {
    return jumping != Jumping.NONE;
  }

  /// Checks that a network has the layers for it.
  ///
  /// @param kind of layer
  /// @param hidden width of each hidden layer
  /// @throws InvalidSettingException if nothing is followed, or widths differ
  void check(LayerKind kind, List<Integer> hidden) {
    if (!kind.finishes() && !equals(USUAL)) {
      throw new InvalidSettingException(
          "{%s}: {model} %s does not read it; leave it out".formatted(set(), kind.name()));
    }
    if ((jumps() || inputProjection) && kind.sight() == LayerKind.Sight.NONE) {
      throw new InvalidSettingException(
          "{%s}: {model} %s does not look at neighbours; leave it out"
              .formatted(jumps() ? "jumping" : "inputProjection", kind.name()));
    }
    if (hidden.isEmpty() && !equals(USUAL)) {
      throw new InvalidSettingException(
          "{%s}: a network of one layer has no hidden layer that it could belong to; leave it out"
              .formatted(set()));
    }
    if (residual && hidden.size() == 1 && !jumps() && !inputProjection) {
      throw new InvalidSettingException(
          "{residual}: expected at least 2 hidden layers, found 1; set {layers} to 3 or more");
    }
    if (residual) {
      List<Integer> widths = kind.widths(hidden, 1).subList(0, hidden.size());
      if (widths.stream().distinct().count() > 1) {
        throw new InvalidSettingException(
            "{hidden}: expected one width for all hidden layers with {residual}, found " + widths);
      }
    }
    if (jumps()) {
      checkJumping(hidden);
    }
  }

  /// The first component that is set.
  private String set() {
    if (activation != null) {
      return "activation";
    }
    if (norm != Norm.NONE) {
      return "norm";
    }
    if (residual || jumps()) {
      return residual ? "residual" : "jumping";
    }
    return inputProjection ? "inputProjection" : "feedForward";
  }

  private void checkJumping(List<Integer> hidden) {
    String how = InvalidSettingException.nameOf(jumping);
    if (jumping != Jumping.CONCAT && hidden.stream().distinct().count() > 1) {
      throw new InvalidSettingException(
          "{hidden}: expected one width for all hidden layers with {jumping} %s, found %s"
              .formatted(how, hidden));
    }
    long columns = jumping.carriedWidth(hidden);
    if (columns > Integer.MAX_VALUE) {
      throw new InvalidSettingException(
          "{hidden}: expected at most %d columns of all hidden layers with {jumping} %s, found %d"
              .formatted(Integer.MAX_VALUE, how, columns));
    }
  }

  /// {@return the activation of a kind of layer}
  ///
  /// @param kind of layer
  Activation.Function activation(LayerKind kind) {
    return activation == null ? kind.activation() : activation;
  }

  /// {@return a hidden layer with what follows it} It is the layer itself if that is only the
  /// activation of its kind, which its kernels include.
  ///
  /// @param layer of that kind
  /// @param kind of layer
  /// @param first whether it is the first one
  GraphLayer after(GraphLayer layer, LayerKind kind, boolean first) {
    return isFused(kind)
        ? layer
        : new FinishedLayer(
            layer, norm, residual && (!first || inputProjection), isSloped(kind), feedForward);
  }

  /// Whether only the activation of the kind of layer follows.
  private boolean isFused(LayerKind kind) {
    return norm == Norm.NONE
        && !residual
        && !jumps()
        && !feedForward
        && activation(kind) == kind.activation();
  }

  private boolean isSloped(LayerKind kind) {
    return activation(kind) == Activation.Function.PRELU;
  }

  /// {@return the first layer on a projection of the features} A residual connection adds to the
  /// gradient of the projection, so that this applies its derivative itself.
  ///
  /// @param layer the first, with what follows it
  /// @param kind of layer
  /// @param features their width
  GraphLayer projected(GraphLayer layer, LayerKind kind, int features) {
    GraphLayer dense =
        new GraphConvolution(layer.name() + PROJECTION, features, layer.in(), Order.TRANSFORM_ONLY);
    boolean fused = !residual && activation(kind) == kind.activation();
    return new ProjectedLayer(
        fused ? dense : new FinishedLayer(dense, Norm.NONE, false, isSloped(kind), false), layer);
  }
}
