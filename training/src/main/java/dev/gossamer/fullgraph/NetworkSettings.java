package dev.gossamer.fullgraph;

import dev.gossamer.graph.Normalisation;
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
    /// The same layers without the graph: the baseline that shows what the graph is worth.
    MLP
  }

  public NetworkSettings {
    hidden = List.copyOf(hidden);
    for (int width : hidden) {
      if (width < 1) {
        throw new IllegalArgumentException("hidden: expected widths of at least 1, found " + width);
      }
    }
    requireRate("dropout", dropout);
    requireRate("input-dropout", inputDropout);
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
