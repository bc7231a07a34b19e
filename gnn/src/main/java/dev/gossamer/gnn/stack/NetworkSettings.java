package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.layers.Activation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The shape of a network and how it sees the graph. Start with [#of] and change what differs.
///
/// @param kind what a layer is
/// @param hidden width of each hidden layer, with attention that of all heads together; empty for a
///   single layer
/// @param dropout share of the hidden activations that training drops
/// @param inputDropout share of the input features that training drops
/// @param normalisation of the graph
/// @param selfLoops whether every vertex is its own neighbour
/// @param decayed the weights that weight decay pulls at
public record NetworkSettings(
    LayerKind kind,
    List<Integer> hidden,
    double dropout,
    double inputDropout,
    Normalisation normalisation,
    boolean selfLoops,
    Decayed decayed) {
  /// Width of the hidden layer.
  public static final int DEFAULT_HIDDEN = 64;

  /// As Kipf and Welling have it.
  public static final double DEFAULT_DROPOUT = 0.5;

  /// Layers of a network, at most.
  public static final int MOST_LAYERS = 1000;

  /// The random stream that drops input features; hidden layers have the numbers from 1.
  private static final int INPUT_STREAM = 0;

  /// Weights that weight decay pulls at. Biases never decay.
  public enum Decayed {
    /// Those of all layers.
    ALL,
    /// Those of the first layer, as Kipf and Welling do.
    FIRST_LAYER
  }

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there are too many layers, a width is less than 1, a rate
  ///   is not in `[0, 1)`, or the kind of layer cannot have these settings
  public NetworkSettings {
    hidden = List.copyOf(hidden);
    requireFew(hidden.size() + 1L);
    for (int width : hidden) {
      InvalidSettingException.requireAtLeast("hidden", width, 1);
    }
    InvalidSettingException.requireRate("dropout", dropout);
    InvalidSettingException.requireRate("inputDropout", inputDropout);
    kind.check(hidden, normalisation, selfLoops);
  }

  /// Refuses networks of more layers than have ever been trained: each takes memory before any
  /// weight does.
  ///
  /// @param layers of the network, the output layer included
  /// @throws InvalidSettingException if there are more than [#MOST_LAYERS]
  public static void requireFew(long layers) {
    if (layers > MOST_LAYERS) {
      throw new InvalidSettingException(
          "{layers}: expected at most %d, found %d".formatted(MOST_LAYERS, layers));
    }
  }

  /// {@return a network with one hidden layer and what is usual for its kind of layers}
  ///
  /// @param kind what a layer is
  public static NetworkSettings of(LayerKind kind) {
    return new NetworkSettings(
        kind,
        List.of(fitting(kind, DEFAULT_HIDDEN)),
        DEFAULT_DROPOUT,
        0,
        kind.usualNormalisation(),
        kind.usualSelfLoops(),
        Decayed.ALL);
  }

  /// {@return the same with other hidden layers}
  ///
  /// @param widths of the hidden layers, first to last
  public NetworkSettings withHidden(List<Integer> widths) {
    return new NetworkSettings(
        kind, widths, dropout, inputDropout, normalisation, selfLoops, decayed);
  }

  /// {@return the same with every hidden layer of one width, or of the next that the kind of layer
  /// can have}
  ///
  /// @param width at least 1
  public NetworkSettings withWidth(int width) {
    return withHidden(hidden.stream().map(each -> fitting(kind, width)).toList());
  }

  private static int fitting(LayerKind kind, int width) {
    return Math.ceilDiv(width, kind.widthUnit()) * kind.widthUnit();
  }

  /// {@return the same with other rates of dropout}
  ///
  /// @param hiddenRate share of hidden activations
  /// @param inputRate share of input features
  public NetworkSettings withDropout(double hiddenRate, double inputRate) {
    return new NetworkSettings(
        kind, hidden, hiddenRate, inputRate, normalisation, selfLoops, decayed);
  }

  /// {@return the same with another view of the graph}
  ///
  /// @param scaling of the adjacency matrix
  /// @param loops whether every vertex is its own neighbour
  public NetworkSettings withGraph(Normalisation scaling, boolean loops) {
    return new NetworkSettings(kind, hidden, dropout, inputDropout, scaling, loops, decayed);
  }

  /// {@return the same with other weights that decay}
  ///
  /// @param which the weights that decay
  public NetworkSettings withDecayed(Decayed which) {
    return new NetworkSettings(
        kind, hidden, dropout, inputDropout, normalisation, selfLoops, which);
  }

  /// {@return whether layers look at the graph edge by edge, and not through a linear map}
  public boolean seesEdges() {
    return kind.sight() == LayerKind.Sight.EDGES;
  }

  /// {@return whether layers look at neighbours}
  public boolean seesGraph() {
    return kind.sight() != LayerKind.Sight.NONE;
  }

  /// {@return the normalised graph that these settings ask for}
  ///
  /// @param dataset with the adjacency matrix
  public Propagation propagation(GraphData dataset) {
    CsrMatrix a = dataset.adjacency();
    return new Propagation(
        kind.weighsEdges() ? a : a.withValues(null),
        dataset.info().directed(),
        normalisation,
        selfLoops);
  }

  /// {@return what is behind a layer in training: what its kind has behind hidden layers
  /// ([LayerKind#activation]) and dropout, and nothing behind the last}
  ///
  /// @param l number of the layer, from 0
  /// @param seed of all draws
  /// @param step epoch or batch whose dropout is drawn
  /// @param ids vertices that the rows of the layer's output are
  public Activation activation(int l, long seed, long step, RowIds ids) {
    return l == layers() - 1 || dropout == 0
        ? activation(l)
        : Activation.withDropout(
            kind.activation(), new Dropout(seed, l + 1, (float) dropout), step, ids);
  }

  /// {@return what is behind a layer in evaluation}
  ///
  /// @param l number of the layer, from 0
  public Activation activation(int l) {
    return l == layers() - 1 ? Activation.NONE : Activation.of(kind.activation());
  }

  /// {@return what training drops of the weights of a layer's edges; null if nothing}
  ///
  /// @param l number of the layer, from 0
  /// @param seed of all draws
  /// @param step epoch or batch whose dropout is drawn
  public @Nullable EdgeDropout edgeDropout(int l, long seed, long step) {
    return kind.edgeDropout(l, seed, step);
  }

  /// {@return the dropout of input features}
  ///
  /// @param seed of all draws
  public Dropout inputDropping(long seed) {
    return new Dropout(seed, INPUT_STREAM, (float) inputDropout);
  }

  /// {@return layers, the output layer included}
  public int layers() {
    return hidden.size() + 1;
  }
}
