package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.FinishedLayer;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Norm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What follows each hidden layer, besides dropout. The output layer is followed by nothing.
///
/// @param activation nonlinear function; null for that of the kind of layer
/// @param norm normalisation before the activation
/// @param residual whether the input of each hidden layer but the first is added to its output; all
///   hidden layers then have one width
public record Finish(Activation.@Nullable Function activation, Norm norm, boolean residual) {
  /// The activation of the kind of layer, without normalisation and residual connections.
  public static final Finish USUAL = new Finish(null, Norm.NONE, false);

  /// Checks that a network has the layers for it.
  ///
  /// @param kind of layer
  /// @param hidden width of each hidden layer
  /// @throws InvalidSettingException if nothing is followed, or widths differ
  void check(LayerKind kind, List<Integer> hidden) {
    String set = activation != null ? "activation" : norm != Norm.NONE ? "norm" : "residual";
    if (!kind.finishes() && !equals(USUAL)) {
      throw new InvalidSettingException(
          "{%s}: {model} %s does not read it; leave it out".formatted(set, kind.name()));
    }
    if (hidden.isEmpty() && !equals(USUAL)) {
      throw new InvalidSettingException(
          "{%s}: a network of one layer has no hidden layer that it could follow; leave it out"
              .formatted(set));
    }
    if (residual && hidden.size() == 1) {
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
    return norm == Norm.NONE && !residual && activation(kind) == kind.activation()
        ? layer
        : new FinishedLayer(layer, norm, residual && !first);
  }
}
