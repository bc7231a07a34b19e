package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.Relations;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.EntryDropout;
import dev.gossamer.nn.layers.Activation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The shape of a network and how it sees the graph. Start with [#of] and change what differs.
///
/// @param kind of layer
/// @param hidden width of each hidden layer, with attention summed over its heads; empty for a
///   single layer
/// @param dropout rate for hidden activations
/// @param inputDropout rate for input features
/// @param edgeDropout rate for edges, see [#droppedEdges]
/// @param normalisation of the graph
/// @param selfLoops whether every vertex is its own neighbour
/// @param decayed weights that weight decay applies to
/// @param finish what is around the graph layers
/// @param decoder how edges follow from the outputs, if edges are predicted
public record NetworkSettings(
    LayerKind kind,
    List<Integer> hidden,
    double dropout,
    double inputDropout,
    double edgeDropout,
    Normalisation normalisation,
    boolean selfLoops,
    Decayed decayed,
    Finish finish,
    LinkDecoder decoder) {
  /// Width of the hidden layer.
  public static final int DEFAULT_HIDDEN = 64;

  /// As in Kipf and Welling.
  public static final double DEFAULT_DROPOUT = 0.5;

  /// Maximum number of layers.
  public static final int MOST_LAYERS = 1000;

  /// The random stream that drops input features; hidden layers have the numbers from 1.
  private static final int INPUT_STREAM = 0;

  /// The first random streams that drop what layers compute within themselves have numbers above
  /// this, one a layer; the next ones, above twice this.
  private static final int INNER_STREAM = 1 << 13;

  /// Weights that weight decay applies to. Biases never decay.
  public enum Decayed {
    /// Those of all layers.
    ALL,
    /// Those of the first layer, as in Kipf and Welling.
    FIRST_LAYER
  }

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there are too many layers, a width is less than 1, a rate
  ///   is not in `[0, 1)`, or the kind of layer does not support these settings
  public NetworkSettings {
    hidden = List.copyOf(hidden);
    requireFew(hidden.size() + 1L);
    for (int width : hidden) {
      InvalidSettingException.requireAtLeast("hidden", width, 1);
    }
    InvalidSettingException.requireRate("dropout", dropout);
    InvalidSettingException.requireRate("inputDropout", inputDropout);
    kind.check(hidden, normalisation, selfLoops);
    finish.check(kind, hidden);
    InvalidSettingException.requireRate("edgeDropout", edgeDropout);
    if (edgeDropout > 0) {
      checkEdges(kind, selfLoops);
    }
  }

  private static void checkEdges(LayerKind kind, boolean selfLoops) {
    if (kind.sight() == LayerKind.Sight.NONE) {
      throw new InvalidSettingException(
          "{edgeDropout}: {model} %s does not look at edges in training; leave it out"
              .formatted(kind.name()));
    }
    if (kind.sight() == LayerKind.Sight.EDGES && !selfLoops) {
      throw new InvalidSettingException(
          "{edgeDropout}: {model} %s normalises over the edges that are left, of which there may be"
                  .formatted(kind.name())
              + " none; expected {selfLoops}, which are never dropped, found none");
    }
  }

  /// Refuses networks of too many layers, since each takes memory before any weight does.
  ///
  /// @param layers of the network, including the output layer
  /// @throws InvalidSettingException if there are more than [#MOST_LAYERS]
  public static void requireFew(long layers) {
    if (layers > MOST_LAYERS) {
      throw new InvalidSettingException(
          "{layers}: expected at most %d, found %d".formatted(MOST_LAYERS, layers));
    }
  }

  /// {@return a network with the usual layers and the defaults of its kind}
  ///
  /// @param kind of layer
  public static NetworkSettings of(LayerKind kind) {
    return new NetworkSettings(
        kind,
        Collections.nCopies(kind.usualLayers() - 1, fitting(kind, DEFAULT_HIDDEN)),
        DEFAULT_DROPOUT,
        0,
        0,
        kind.usualNormalisation(),
        kind.usualSelfLoops(),
        Decayed.ALL,
        Finish.USUAL,
        LinkDecoder.DOT);
  }

  /// {@return a copy with other hidden layers}
  ///
  /// @param widths of the hidden layers, first to last
  public NetworkSettings withHidden(List<Integer> widths) {
    return new NetworkSettings(
        kind,
        widths,
        dropout,
        inputDropout,
        edgeDropout,
        normalisation,
        selfLoops,
        decayed,
        finish,
        decoder);
  }

  /// {@return a copy with all hidden layers of one width, rounded up to a width that the kind of
  /// layer supports}
  ///
  /// @param width at least 1
  public NetworkSettings withWidth(int width) {
    return withHidden(hidden.stream().map(each -> fitting(kind, width)).toList());
  }

  private static int fitting(LayerKind kind, int width) {
    return Math.ceilDiv(width, kind.widthUnit()) * kind.widthUnit();
  }

  /// {@return a copy with other rates of dropout}
  ///
  /// @param hiddenRate rate for hidden activations
  /// @param inputRate rate for input features
  public NetworkSettings withDropout(double hiddenRate, double inputRate) {
    return new NetworkSettings(
        kind,
        hidden,
        hiddenRate,
        inputRate,
        edgeDropout,
        normalisation,
        selfLoops,
        decayed,
        finish,
        decoder);
  }

  /// {@return a copy with another rate of dropout of edges}
  ///
  /// @param rate for edges
  public NetworkSettings withEdgeDropout(double rate) {
    return new NetworkSettings(
        kind,
        hidden,
        dropout,
        inputDropout,
        rate,
        normalisation,
        selfLoops,
        decayed,
        finish,
        decoder);
  }

  /// {@return a copy with another view of the graph}
  ///
  /// @param scaling of the adjacency matrix
  /// @param loops whether every vertex is its own neighbour
  public NetworkSettings withGraph(Normalisation scaling, boolean loops) {
    return new NetworkSettings(
        kind, hidden, dropout, inputDropout, edgeDropout, scaling, loops, decayed, finish, decoder);
  }

  /// {@return a copy with other weights that decay}
  ///
  /// @param which the weights that decay
  public NetworkSettings withDecayed(Decayed which) {
    return new NetworkSettings(
        kind,
        hidden,
        dropout,
        inputDropout,
        edgeDropout,
        normalisation,
        selfLoops,
        which,
        finish,
        decoder);
  }

  /// {@return a copy with something else around the graph layers}
  ///
  /// @param other what is around them
  public NetworkSettings withFinish(Finish other) {
    return new NetworkSettings(
        kind,
        hidden,
        dropout,
        inputDropout,
        edgeDropout,
        normalisation,
        selfLoops,
        decayed,
        other,
        decoder);
  }

  /// {@return a copy with another decoder}
  ///
  /// @param other how edges follow from the outputs
  public NetworkSettings withDecoder(LinkDecoder other) {
    return new NetworkSettings(
        kind,
        hidden,
        dropout,
        inputDropout,
        edgeDropout,
        normalisation,
        selfLoops,
        decayed,
        finish,
        other);
  }

  /// {@return whether layers read the graph edge by edge, and not through a linear map}
  public boolean seesEdges() {
    return kind.sight().ofEdges();
  }

  /// {@return whether layers read the relations of edges}
  public boolean seesRelations() {
    return kind.sight() == LayerKind.Sight.RELATIONS;
  }

  /// {@return whether layers read neighbours}
  public boolean seesGraph() {
    return kind.sight() != LayerKind.Sight.NONE;
  }

  /// {@return a copy whose layers know the relations of a graph}
  ///
  /// @param dataset as layers read it ([LayerKind#seen])
  public NetworkSettings on(GraphData dataset) {
    Relations relations = dataset.relations();
    return relations == null ? this : on(relations);
  }

  /// {@return a copy whose layers read features of edges, if they can}
  ///
  /// @param width features of each edge; 0 for none
  public NetworkSettings onEdges(int width) {
    return with(kind.onEdges(width));
  }

  /// {@return a copy whose layers know relations}
  ///
  /// @param relations of a graph
  public NetworkSettings on(Relations relations) {
    return with(kind.on(relations));
  }

  private NetworkSettings with(LayerKind known) {
    return new NetworkSettings(
        known,
        hidden,
        dropout,
        inputDropout,
        edgeDropout,
        normalisation,
        selfLoops,
        decayed,
        finish,
        decoder);
  }

  /// {@return what is computed of the features before the first epoch}
  public Hops precomputed() {
    return kind.precomputed();
  }

  /// {@return what the first layer reads, for plans: the features, or if it reads hops of them,
  /// dense rows of their width, of which there are none yet}
  ///
  /// @param features of the data set
  public Features input(Features features) {
    return precomputed().isNone()
        ? features
        : new Features.Dense(
            DenseMatrix.allocate(Arena.ofAuto(), 0, precomputed().width(features.width())));
  }

  /// {@return the graph that layers see, normalised as in these settings; one without edges if they
  /// do not look at it}
  ///
  /// @param dataset with the adjacency matrix, as layers read it ([LayerKind#seen])
  public Propagation propagation(GraphData dataset) {
    return seesGraph() ? graph(dataset) : withoutEdges(dataset.vertices());
  }

  private static Propagation withoutEdges(int vertices) {
    Arena arena = Arena.ofAuto();
    MemorySegment none = arena.allocate(0, Integer.BYTES);
    MemorySegment pointers = arena.allocate((vertices + 1L) * Long.BYTES, Long.BYTES);
    CsrMatrix a = CsrMatrix.wrap(vertices, vertices, pointers, none, null);
    return new Propagation(a, false, Normalisation.NONE, false);
  }

  /// {@return bytes of the rows of that graph that are not those of the data set}
  ///
  /// @param dataset with the adjacency matrix
  public long propagationBytes(GraphData dataset) {
    return seesGraph() ? graph(dataset).bytes() : CsrMatrix.bytes(dataset.vertices(), 0, false);
  }

  /// {@return the graph normalised as in these settings, whoever looks at it}
  ///
  /// @param dataset with the adjacency matrix
  public Propagation graph(GraphData dataset) {
    CsrMatrix a = dataset.adjacency();
    if (seesRelations() && dataset.relations() == null) {
      throw new IllegalArgumentException(dataset.name() + ": expected a graph of relations");
    }
    return new Propagation(
        kind.weighsEdges() || seesRelations() ? a : a.withValues(null),
        dataset.info().directed(),
        normalisation,
        selfLoops);
  }

  /// {@return the activation of a layer in training: of a hidden layer with dropout, of the last
  /// none}
  ///
  /// @param l number of the layer, from 0
  /// @param seed of all draws
  /// @param step epoch or batch whose dropout is drawn
  /// @param ids vertices of the rows of the layer's output
  public Activation activation(int l, long seed, long step, RowIds ids) {
    return dropout == 0 || !drops(l)
        ? activation(l)
        : dropped(finish.activation(kind), l + 1, seed, step, ids);
  }

  private Activation dropped(
      Activation.Function function, int stream, long seed, long step, RowIds ids) {
    return Activation.withDropout(function, new Dropout(seed, stream, (float) dropout), step, ids);
  }

  /// {@return whether an activation, with dropout, follows the output of a layer}
  ///
  /// @param l number of the layer, from 0
  private boolean drops(int l) {
    return isHidden(l) && kind.activates();
  }

  /// {@return whether a layer is a hidden one: each but the last, and with [Finish#jumping] that,
  /// too}
  ///
  /// @param l number of the layer, from 0
  public boolean isHidden(int l) {
    return l < layers() - 1 || finish.jumps();
  }

  /// {@return the width of what each layer makes of the graph: that of its output, but of a last
  /// layer that is a hidden one the width of the hidden layer before}
  ///
  /// @param outputs of the network
  public List<Integer> graphWidths(int outputs) {
    return kind.widths(hidden, finish.jumps() ? hidden.getLast() : outputs);
  }

  /// {@return the activation of a layer in evaluation}
  ///
  /// @param l number of the layer, from 0
  public Activation activation(int l) {
    Activation.Function function = function(l);
    return function == null ? Activation.NONE : Activation.of(function);
  }

  /// {@return the nonlinear function of a layer's output; null of the last layer, which has none}
  ///
  /// @param l number of the layer, from 0
  public Activation.@Nullable Function function(int l) {
    return drops(l) ? finish.activation(kind) : null;
  }

  /// {@return an activation of what a layer computes within itself, in training}
  ///
  /// @param l number of the layer, from 0
  /// @param i number of the activation in the layer, from 0
  /// @param seed of all draws
  /// @param step epoch or batch whose dropout is drawn
  /// @param ids vertices of its rows
  public Activation innerActivation(int l, int i, long seed, long step, RowIds ids) {
    return dropout == 0
        ? innerActivation()
        : dropped(finish.activation(kind), (i + 1) * INNER_STREAM + l, seed, step, ids);
  }

  /// {@return the activation of what a layer computes within itself, in evaluation}
  public Activation innerActivation() {
    return Activation.of(finish.activation(kind));
  }

  /// {@return whether the first layer makes rows of its own of the features of each source before
  /// it aggregates: then nothing is aggregated before them, and prediction makes them once}
  public boolean projectsFirst() {
    return kind.projectsFirst() || finish.inputProjection();
  }

  /// {@return the dropout of the weights of a layer's edges in training; null if there is none}
  ///
  /// @param l number of the layer, from 0
  /// @param seed of all draws
  /// @param step epoch or batch whose dropout is drawn
  public @Nullable EdgeDropout edgeDropout(int l, long seed, long step) {
    return kind.edgeDropout(l, seed, step);
  }

  /// {@return the dropout of edges in training, for all layers of a step; null if there is none}
  ///
  /// Layers that aggregate by weights that are fixed before the pass multiply those of the edges
  /// that are left by `1 / (1 - rate)`, so that a sum has the expected value that evaluation
  /// computes. (The paper and PyG normalise the matrix of each step again instead; that needs the
  /// degrees of all vertices, which a sampled block does not have.) Layers that weigh edges
  /// themselves, by attention or by relations, normalise over those that are left.
  ///
  /// @param seed of all draws
  public @Nullable EntryDropout droppedEdges(long seed) {
    return edgeDropout == 0 ? null : new EntryDropout(seed, (float) edgeDropout);
  }

  /// {@return the dropout of input features}
  ///
  /// @param seed of all draws
  public Dropout inputDropping(long seed) {
    return new Dropout(seed, INPUT_STREAM, (float) inputDropout);
  }

  /// {@return width of the output of the layer before the last; 0 if there is none}
  ///
  /// @param outputs of the network
  public int embeddingWidth(int outputs) {
    List<Integer> widths = kind.widths(hidden, outputs);
    return widths.size() == 1 ? 0 : widths.get(widths.size() - 2);
  }

  /// {@return layers, including the output layer}
  public int layers() {
    return kind.widths(hidden, 1).size();
  }
}
