package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Normalisation;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The network that is trained. Start with [#DEFAULT] or [#of] and change what differs.
///
/// @param kind of layer
/// @param hidden width of each hidden layer, first to last; empty for a single layer
/// @param dropout dropout rates
/// @param view normalisation of the adjacency matrix, and self loops
/// @param featureScaling how features are scaled before the network reads them, in training and in
///   prediction
/// @param finish activation, normalisation and residual connections of hidden layers, how they are
///   combined for the outputs, and dense layers around them
/// @param decoder how edges follow from the outputs, if they are predicted; null for the default:
///   the dot product for one type of edges, [LinkDecoder.Kind#BILINEAR] for several
public record Architecture(
    LayerKind kind,
    List<Integer> hidden,
    DropoutRates dropout,
    View view,
    FeatureScaling featureScaling,
    Finish finish,
    LinkDecoder.@Nullable Kind decoder) {
  /// Graph convolutions with one hidden layer.
  public static final Architecture DEFAULT = of(new Gcn());

  /// Dropout rates of training.
  ///
  /// @param dropout of hidden activations
  /// @param inputDropout of input features; null for the default: that of the kind of layer
  ///   ([LayerKind#usualInputDropout]) for sparse features in minibatches, else none
  /// @param edgeDropout of edges ([NetworkSettings#droppedEdges])
  public record DropoutRates(double dropout, @Nullable Double inputDropout, double edgeDropout) {
    /// Half of the hidden activations, the default for the input, and no edges.
    public static final DropoutRates DEFAULT =
        new DropoutRates(NetworkSettings.DEFAULT_DROPOUT, null);

    /// Rates without dropout of edges.
    ///
    /// @param dropout of hidden activations
    /// @param inputDropout of input features; null for the default
    public DropoutRates(double dropout, @Nullable Double inputDropout) {
      this(dropout, inputDropout, 0);
    }

    /// {@return the same with another rate for edges}
    ///
    /// @param rate for edges
    public DropoutRates withEdges(double rate) {
      return new DropoutRates(dropout, inputDropout, rate);
    }

    private double inputOr(double usual) {
      return inputDropout == null ? usual : inputDropout;
    }
  }

  /// How layers see the graph.
  ///
  /// @param normalisation of the adjacency matrix; null for the default of the kind of layer and
  ///   the sampler
  /// @param selfLoops whether every vertex is its own neighbour; null for the default of the kind
  ///   of layer
  public record View(@Nullable Normalisation normalisation, @Nullable Boolean selfLoops) {
    /// The defaults of the kind of layer.
    public static final View USUAL = new View(null, null);
  }

  /// How the features of each vertex are scaled.
  public enum FeatureScaling {
    /// Not at all.
    NONE,
    /// Each row is divided by its sum.
    ROW,
    /// From each column the mean of the training vertices is subtracted, and the result is divided
    /// by their standard deviation ([dev.gossamer.graph.Standardisation]). The model stores both.
    STANDARD
  }

  /// Checks that the settings are compatible.
  ///
  /// @throws InvalidSettingException if they are not
  public Architecture {
    hidden = List.copyOf(hidden);
    if (view.normalisation() != null && kind.sight().ofEdges() && !kind.sight().sums()) {
      throw new InvalidSettingException(
          "{normalisation}: {model} %s weighs neighbours itself; leave it out"
              .formatted(kind.name()));
    }
    network(kind, view, null)
        .withHidden(hidden)
        .withDropout(dropout.dropout(), dropout.inputOr(0))
        .withEdgeDropout(dropout.edgeDropout())
        .withFinish(finish);
  }

  /// Returns the widths of the hidden layers.
  ///
  /// @param layers of the network, including the output layer; null for one more than there are
  ///   widths
  /// @param hidden one width for all hidden layers, or one for each
  /// @return the width of each hidden layer
  /// @throws InvalidSettingException if there is no layer, there are too many, or the number of
  ///   widths does not match
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

  /// {@return layers of the network that a sampler draws neighbours for, including the output
  /// layer}
  public int layers() {
    return kind.widths(hidden, 1).size();
  }

  /// A network with the default decoder.
  ///
  /// @param kind of layer
  /// @param hidden width of each hidden layer, first to last; empty for a single layer
  /// @param dropout dropout rates
  /// @param view normalisation of the adjacency matrix, and self loops
  /// @param featureScaling how features are scaled before the network reads them
  /// @param finish what is around the graph layers
  public Architecture(
      LayerKind kind,
      List<Integer> hidden,
      DropoutRates dropout,
      View view,
      FeatureScaling featureScaling,
      Finish finish) {
    this(kind, hidden, dropout, view, featureScaling, finish, null);
  }

  /// {@return the default minibatches of the network}
  public MinibatchSettings usualMinibatches() {
    return MinibatchSettings.usual(kind, hidden);
  }

  /// Returns the default network of a kind of layer.
  ///
  /// @param kind of layer
  /// @return the architecture
  public static Architecture of(LayerKind kind) {
    return new Architecture(
        kind,
        NetworkSettings.of(kind).hidden(),
        DropoutRates.DEFAULT,
        View.USUAL,
        FeatureScaling.NONE,
        Finish.USUAL);
  }

  /// Returns a copy with other layers.
  ///
  /// @param other kind of layer
  /// @param widths of the hidden layers, first to last
  /// @return the changed copy
  public Architecture withLayers(LayerKind other, List<Integer> widths) {
    return new Architecture(other, widths, dropout, view, featureScaling, finish, decoder);
  }

  /// Returns a copy with other rates of dropout.
  ///
  /// @param rates dropout rates
  /// @return the changed copy
  public Architecture withDropout(DropoutRates rates) {
    return new Architecture(kind, hidden, rates, view, featureScaling, finish, decoder);
  }

  /// Returns a copy with another view of the graph.
  ///
  /// @param other normalisation and self loops
  /// @return the changed copy
  public Architecture withView(View other) {
    return new Architecture(kind, hidden, dropout, other, featureScaling, finish, decoder);
  }

  /// Returns a copy with other scaling of the features.
  ///
  /// @param scaling how features are scaled
  /// @return the changed copy
  public Architecture withFeatureScaling(FeatureScaling scaling) {
    return new Architecture(kind, hidden, dropout, view, scaling, finish, decoder);
  }

  /// Returns a copy with something else around the graph layers.
  ///
  /// @param other activation, normalisation, residual connections, jumping knowledge and dense
  ///   layers
  /// @return the changed copy
  public Architecture withFinish(Finish other) {
    return new Architecture(kind, hidden, dropout, view, featureScaling, other, decoder);
  }

  /// Returns a copy with another decoder.
  ///
  /// @param other how edges follow from the outputs; null for the default
  /// @return the changed copy
  public Architecture withDecoder(LinkDecoder.@Nullable Kind other) {
    return new Architecture(kind, hidden, dropout, view, featureScaling, finish, other);
  }

  /// Returns the network with all defaults filled in.
  ///
  /// @param data as layers read it ([LayerKind#seen])
  /// @param minibatches null to train on the whole graph
  /// @param decayed weights that decay
  /// @throws dev.gossamer.base.InvalidSettingException if settings are incompatible
  NetworkSettings network(
      GraphData data, @Nullable MinibatchSettings minibatches, NetworkSettings.Decayed decayed) {
    boolean drops = minibatches != null && data.features() instanceof Features.Sparse;
    EdgeFeatures ofEdges = data.edgeFeatures();
    return network(kind, view, MinibatchWay.normalisation(minibatches))
        .withHidden(hidden)
        .withDropout(dropout.dropout(), dropout.inputOr(drops ? kind.usualInputDropout() : 0))
        .withEdgeDropout(dropout.edgeDropout())
        .withDecayed(decayed)
        .withFinish(finish)
        .withDecoder(decoder(data.links()))
        .on(data)
        .onEdges(ofEdges == null ? 0 : ofEdges.width());
  }

  private LinkDecoder decoder(@Nullable LinkTask task) {
    if (task == null) {
      if (decoder != null) {
        throw new InvalidSettingException(
            "{decoder}: only {task} links compares vertices; leave it out");
      }
      return LinkDecoder.DOT;
    }
    boolean several = GraphTypes.edgesOf(task.parts().allTypes()).size() > 1;
    LinkDecoder.Kind usual = several ? LinkDecoder.Kind.BILINEAR : LinkDecoder.Kind.DOT;
    return LinkDecoder.of(decoder == null ? usual : decoder, task.parts());
  }

  private static NetworkSettings network(
      LayerKind kind, View view, @Nullable Normalisation ofSampler) {
    Normalisation usual =
        ofSampler == null || !kind.sight().sums() ? kind.usualNormalisation() : ofSampler;
    Normalisation normalisation = view.normalisation();
    Boolean loops = view.selfLoops();
    return NetworkSettings.of(kind)
        .withGraph(
            normalisation == null ? usual : normalisation,
            loops == null ? kind.usualSelfLoops() : loops);
  }
}
