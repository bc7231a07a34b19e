package dev.gossamer.network;

import dev.gossamer.graph.Dataset;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.kernel.Dropout;
import dev.gossamer.matrix.kernel.RowIds;
import dev.gossamer.nn.Activation;
import java.util.List;

/// The shape of a network and how it sees the graph.
///
/// @param model what a layer is
/// @param hidden width of each hidden layer; empty for a single layer
/// @param dropout share of the hidden activations that training drops
/// @param inputDropout share of the input features that training drops
/// @param selfLoops whether every vertex is its own neighbour
/// @param decayFirstLayerOnly weight decay pulls at the first layer's weight only, as Kipf and
///   Welling do; otherwise at all weights
public record NetworkSettings(
    Model model,
    List<Integer> hidden,
    double dropout,
    double inputDropout,
    Normalisation normalisation,
    boolean selfLoops,
    boolean decayFirstLayerOnly) {
  /// Kinds of networks.
  public enum Model {
    /// Graph convolutions.
    GCN,
    /// GraphSAGE with the mean over the neighbours.
    SAGE,
    /// The same layers without the graph: the baseline that shows what the graph is worth.
    MLP
  }

  /// The random stream that drops input features; hidden layers have the numbers from 1.
  private static final int INPUT_STREAM = 0;

  /// @throws IllegalArgumentException if a width is less than 1, a rate is not in `[0, 1)`, or
  ///   GraphSAGE does not see the mean of the neighbours alone
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
  }

  /// Whether layers look at neighbours.
  public boolean seesGraph() {
    return model != Model.MLP;
  }

  /// The normalised graph that these settings ask for. GraphSAGE's mean counts neighbours, whatever
  /// the weights of their edges.
  public Propagation propagation(Dataset dataset) {
    CsrMatrix a = dataset.adjacency();
    return new Propagation(
        model == Model.SAGE ? a.withValues(null) : a,
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

  /// The same network with every hidden layer of one width.
  public NetworkSettings withHidden(int width) {
    return new NetworkSettings(
        model,
        hidden.stream().map(each -> width).toList(),
        dropout,
        inputDropout,
        normalisation,
        selfLoops,
        decayFirstLayerOnly);
  }

  private static void requireRate(String name, double rate) {
    if (!(rate >= 0 && rate < 1)) {
      throw new IllegalArgumentException(
          "%s: expected 0 <= rate < 1, found %s".formatted(name, rate));
    }
  }
}
