package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.FinishedLayer;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What follows each hidden layer, besides dropout. The output layer is followed by nothing. With
/// jumping knowledge, the last layer is a hidden one, as wide as that before it, and a dense layer
/// on the combination of all of them computes the outputs.
///
/// @param activation nonlinear function; null for that of the kind of layer
/// @param norm normalisation before the activation
/// @param residual whether the input of each hidden layer but the first is added to its output; all
///   hidden layers then have one width
/// @param jumping how hidden layers are combined for the outputs; by maximum or sum, they have one
///   width
public record Finish(
    Activation.@Nullable Function activation, Norm norm, boolean residual, Jumping jumping) {
  /// The activation of the kind of layer, without normalisation, residual connections and jumping
  /// knowledge.
  public static final Finish USUAL = new Finish(null, Norm.NONE, false);

  /// What follows the layers of a network without jumping knowledge.
  ///
  /// @param activation nonlinear function; null for that of the kind of layer
  /// @param norm normalisation before the activation
  /// @param residual whether the input of each hidden layer but the first is added to its output
  public Finish(Activation.@Nullable Function activation, Norm norm, boolean residual) {
    this(activation, norm, residual, Jumping.NONE);
  }

  /// {@return a copy with another combination of hidden layers}
  ///
  /// @param other how hidden layers are combined for the outputs
  public Finish withJumping(Jumping other) {
    return new Finish(activation, norm, residual, other);
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
    if (jumps() && kind.sight() == LayerKind.Sight.NONE) {
      throw new InvalidSettingException(
          "{jumping}: {model} %s does not look at neighbours; leave it out".formatted(kind.name()));
    }
    if (hidden.isEmpty() && !equals(USUAL)) {
      throw new InvalidSettingException(
          "{%s}: a network of one layer has no hidden layer that it could follow; leave it out"
              .formatted(set()));
    }
    if (residual && hidden.size() == 1 && !jumps()) {
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
    return norm != Norm.NONE ? "norm" : residual ? "residual" : "jumping";
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
  /// @param first whether it reads the features
  GraphLayer after(GraphLayer layer, LayerKind kind, boolean first) {
    return norm == Norm.NONE && !residual && !jumps() && activation(kind) == kind.activation()
        ? layer
        : new FinishedLayer(
            layer, norm, residual && !first, activation(kind) == Activation.Function.PRELU);
  }
}
