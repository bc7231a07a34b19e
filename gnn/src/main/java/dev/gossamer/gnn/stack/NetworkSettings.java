package dev.gossamer.gnn.stack;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.Activation;
import dev.gossamer.nn.GraphAttention;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The shape of a network and how it sees the graph.
///
/// @param model what a layer is
/// @param hidden width of each hidden layer, with attention that of all heads together; empty for a
///   single layer
/// @param dropout share of the hidden activations that training drops
/// @param inputDropout share of the input features that training drops
/// @param selfLoops whether every vertex is its own neighbour
/// @param decayFirstLayerOnly weight decay pulls at the first layer's weight only, as Kipf and
///   Welling do; otherwise at all weights
/// @param attention of graph attention; null for the other models
public record NetworkSettings(
    Model model,
    List<Integer> hidden,
    double dropout,
    double inputDropout,
    Normalisation normalisation,
    boolean selfLoops,
    boolean decayFirstLayerOnly,
    @Nullable Attention attention) {
  /// Kinds of networks.
  public enum Model {
    /// Graph convolutions.
    GCN,
    /// GraphSAGE with the mean over the neighbours.
    SAGE,
    /// Graph attention.
    GAT,
    /// The same layers without the graph: the baseline that shows what the graph is worth.
    MLP
  }

  /// What is particular to graph attention.
  ///
  /// @param heads of each layer
  /// @param dropout share of the attention coefficients that training drops
  public record Attention(int heads, GraphAttention.Variant variant, double dropout) {
    /// @throws IllegalArgumentException if there is no head, or the rate is not in `[0, 1)`
    public Attention {
      if (heads < 1) {
        throw new IllegalArgumentException("heads: expected at least 1, found " + heads);
      }
      requireRate("attention-dropout", dropout);
    }
  }

  /// The first of the random streams that drop attention coefficients, one a layer.
  private static final int ATTENTION_STREAM = 1 << 12;

  /// The random stream that drops input features; hidden layers have the numbers from 1.
  private static final int INPUT_STREAM = 0;

  /// @throws IllegalArgumentException if a width is less than 1, a rate is not in `[0, 1)`,
  ///   GraphSAGE does not see the mean of the neighbours alone, or graph attention has no heads, a
  ///   width that they do not divide, or a normalisation
  public NetworkSettings {
    hidden = List.copyOf(hidden);
    if (model == Model.SAGE && (normalisation != Normalisation.ROW_MEAN || selfLoops)) {
      throw new IllegalArgumentException(
          "model: sage takes the mean over the neighbours; expected normalisation row-mean and no"
              + " self loops, found %s%s"
                  .formatted(normalisation, selfLoops ? " with self loops" : ""));
    }
    for (int width : hidden) {
      if (width < 1) {
        throw new IllegalArgumentException("hidden: expected widths of at least 1, found " + width);
      }
    }
    requireRate("dropout", dropout);
    requireRate("input-dropout", inputDropout);
    if ((model == Model.GAT) != (attention != null)) {
      throw new IllegalArgumentException(
          "model: expected attention for gat and for no other model, found " + model);
    }
    if (attention != null) {
      requireAttention(attention, hidden, normalisation);
    }
  }

  private static void requireAttention(
      Attention attention, List<Integer> hidden, Normalisation normalisation) {
    if (normalisation != Normalisation.NONE) {
      throw new IllegalArgumentException(
          "normalisation: gat weighs neighbours by attention; expected none, found "
              + normalisation);
    }
    for (int width : hidden) {
      if (width % attention.heads() != 0) {
        throw new IllegalArgumentException(
            "hidden: expected a multiple of the %d heads, found %d"
                .formatted(attention.heads(), width));
      }
    }
  }

  /// A network without attention.
  public NetworkSettings(
      Model model,
      List<Integer> hidden,
      double dropout,
      double inputDropout,
      Normalisation normalisation,
      boolean selfLoops,
      boolean decayFirstLayerOnly) {
    this(model, hidden, dropout, inputDropout, normalisation, selfLoops, decayFirstLayerOnly, null);
  }

  /// Whether layers look at the graph edge by edge, and not through a linear map.
  public boolean seesEdges() {
    return attention != null;
  }

  /// Whether layers look at neighbours.
  public boolean seesGraph() {
    return model != Model.MLP;
  }

  /// The normalised graph that these settings ask for. GraphSAGE's mean counts neighbours, and
  /// attention weighs them itself, whatever the weights of their edges.
  public Propagation propagation(GraphData dataset) {
    CsrMatrix a = dataset.adjacency();
    return new Propagation(
        model == Model.SAGE || seesEdges() ? a.withValues(null) : a,
        dataset.info().directed(),
        normalisation,
        selfLoops);
  }

  /// What is behind a layer in training: ReLU and dropout, and nothing behind the last.
  ///
  /// @param l number of the layer, from 0
  /// @param step epoch or batch whose dropout is drawn
  /// @param ids vertices that the rows of the layer's output are
  public Activation activation(int l, long seed, long step, RowIds ids) {
    return l == layers() - 1 || dropout == 0
        ? activation(l)
        : Activation.reluWithDropout(new Dropout(seed, l + 1, (float) dropout), step, ids);
  }

  /// What training drops of a layer's attention coefficients; null if nothing.
  ///
  /// @param l number of the layer, from 0
  /// @param step epoch or batch whose dropout is drawn
  public @Nullable EdgeDropout attentionDropout(int l, long seed, long step) {
    return attention == null || attention.dropout() == 0
        ? null
        : new EdgeDropout(seed, ATTENTION_STREAM + l, (float) attention.dropout(), step);
  }

  /// What is behind a layer in evaluation.
  public Activation activation(int l) {
    return l == layers() - 1 ? Activation.NONE : Activation.RELU;
  }

  /// The dropout of input features.
  public Dropout inputDropping(long seed) {
    return new Dropout(seed, INPUT_STREAM, (float) inputDropout);
  }

  /// Layers, the output layer included.
  public int layers() {
    return hidden.size() + 1;
  }

  /// The same network with every hidden layer of one width, or of the next that the heads divide.
  public NetworkSettings withHidden(int width) {
    int heads = attention == null ? 1 : attention.heads();
    int fitting = Math.ceilDiv(width, heads) * heads;
    return new NetworkSettings(
        model,
        hidden.stream().map(each -> fitting).toList(),
        dropout,
        inputDropout,
        normalisation,
        selfLoops,
        decayFirstLayerOnly,
        attention);
  }

  private static void requireRate(String name, double rate) {
    if (!(rate >= 0 && rate < 1)) {
      throw new IllegalArgumentException(
          "%s: expected 0 <= rate < 1, found %s".formatted(name, rate));
    }
  }
}
