package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.Normalisation;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The network that is trained. Start with [#DEFAULT] or [#of] and change what differs.
///
/// @param kind what a layer is
/// @param hidden width of each hidden layer, first to last; empty for a single layer
/// @param dropout shares that training drops
/// @param view how layers see the graph
/// @param featureScaling what is done to features before the network reads them, in training and in
///   prediction
public record Architecture(
    LayerKind kind,
    List<Integer> hidden,
    DropoutRates dropout,
    View view,
    FeatureScaling featureScaling) {
  /// Graph convolutions with one hidden layer.
  public static final Architecture DEFAULT = of(new Gcn());

  /// Shares that training drops.
  ///
  /// @param dropout of hidden activations
  /// @param inputDropout of input features; null for what is usual: of sparse ones in minibatches
  ///   what is usual for the kind of layer ([LayerKind#usualInputDropout]), else none
  public record DropoutRates(double dropout, @Nullable Double inputDropout) {
    /// Half of the hidden activations, and what is usual of the input.
    public static final DropoutRates DEFAULT =
        new DropoutRates(NetworkSettings.DEFAULT_DROPOUT, null);

    private double inputOr(double usual) {
      return inputDropout == null ? usual : inputDropout;
    }
  }

  /// How layers see the graph.
  ///
  /// @param normalisation of the adjacency matrix; null for what is usual for the kind of layer and
  ///   the sampler
  /// @param selfLoops whether every vertex is its own neighbour; null for what is usual for the
  ///   kind of layer
  public record View(@Nullable Normalisation normalisation, @Nullable Boolean selfLoops) {
    /// What is usual.
    public static final View USUAL = new View(null, null);
  }

  /// What is done to the features of each vertex.
  public enum FeatureScaling {
    /// Nothing.
    NONE,
    /// They are divided by their sum.
    ROW,
    /// Each column has the mean of the training vertices subtracted and is divided by their
    /// deviation ([dev.gossamer.graph.Standardisation]); the model keeps both.
    STANDARD
  }

  /// Checks that the settings go together.
  ///
  /// @throws InvalidSettingException if settings do not go together
  public Architecture {
    hidden = List.copyOf(hidden);
    if (view.normalisation() != null && kind.sight() == LayerKind.Sight.EDGES) {
      throw new InvalidSettingException(
          "{normalisation}: {model} %s weighs neighbours itself; leave it out"
              .formatted(kind.name()));
    }
    network(kind, view, null).withHidden(hidden).withDropout(dropout.dropout(), dropout.inputOr(0));
  }

  /// The widths of a number of layers.
  ///
  /// @param layers of the network, the output layer included; null for one more than there are
  ///   widths
  /// @param hidden one width for all hidden layers, or one for each
  /// @return the width of each hidden layer
  /// @throws InvalidSettingException if there is no layer, there are too many, or the widths are of
  ///   another number
  public static List<Integer> widths(@Nullable Integer layers, List<Integer> hidden) {
    if (layers == null) {
      NetworkSettings.requireFew(hidden.size() + 1L);
      return hidden;
    }
    InvalidSettingException.requireAtLeast("layers", layers, 1);
    NetworkSettings.requireFew(layers);
    if (hidden.size() == 1) {
      return Collections.nCopies(layers - 1, hidden.getFirst());
    }
    if (hidden.size() != layers - 1) {
      throw new InvalidSettingException(
          "{hidden}: expected 1 or %d widths for %d layers, found %d"
              .formatted(layers - 1, layers, hidden.size()));
    }
    return hidden;
  }

  /// {@return layers of the network, the output layer included}
  public int layers() {
    return hidden.size() + 1;
  }

  /// A kind of layer with what is usual for it.
  ///
  /// @param kind what a layer is
  /// @return the architecture
  public static Architecture of(LayerKind kind) {
    return new Architecture(
        kind,
        NetworkSettings.of(kind).hidden(),
        DropoutRates.DEFAULT,
        View.USUAL,
        FeatureScaling.NONE);
  }

  /// The same with other layers.
  ///
  /// @param other what a layer is
  /// @param widths of the hidden layers, first to last
  /// @return the changed copy
  public Architecture withLayers(LayerKind other, List<Integer> widths) {
    return new Architecture(other, widths, dropout, view, featureScaling);
  }

  /// The same with other rates of dropout.
  ///
  /// @param rates shares that training drops
  /// @return the changed copy
  public Architecture withDropout(DropoutRates rates) {
    return new Architecture(kind, hidden, rates, view, featureScaling);
  }

  /// The same with another view of the graph.
  ///
  /// @param other how layers see the graph
  /// @return the changed copy
  public Architecture withView(View other) {
    return new Architecture(kind, hidden, dropout, other, featureScaling);
  }

  /// The same with other scaling of the features.
  ///
  /// @param scaling what is done to features first
  /// @return the changed copy
  public Architecture withFeatureScaling(FeatureScaling scaling) {
    return new Architecture(kind, hidden, dropout, view, scaling);
  }

  /// The network with all that is usual filled in.
  ///
  /// @param features of the data set
  /// @param minibatches null to train on the whole graph
  /// @param decayed weights that decay
  /// @throws dev.gossamer.base.InvalidSettingException if settings do not go together
  NetworkSettings network(
      Features features, @Nullable MinibatchSettings minibatches, NetworkSettings.Decayed decayed) {
    boolean drops = minibatches != null && features instanceof Features.Sparse;
    return network(kind, view, MinibatchWay.normalisation(minibatches))
        .withHidden(hidden)
        .withDropout(dropout.dropout(), dropout.inputOr(drops ? kind.usualInputDropout() : 0))
        .withDecayed(decayed);
  }

  private static NetworkSettings network(
      LayerKind kind, View view, @Nullable Normalisation ofSampler) {
    Normalisation usual =
        ofSampler == null || kind.sight() != LayerKind.Sight.ROWS
            ? kind.usualNormalisation()
            : ofSampler;
    Normalisation normalisation = view.normalisation();
    Boolean loops = view.selfLoops();
    return NetworkSettings.of(kind)
        .withGraph(
            normalisation == null ? usual : normalisation,
            loops == null ? kind.usualSelfLoops() : loops);
  }
}
