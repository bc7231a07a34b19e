package dev.gossamer.gnn.stack;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.GraphView;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.LayerInput;
import dev.gossamer.nn.layers.LayerPass;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.nn.layers.RankSums;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.run.NumericFault;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The forward and backward passes through the layers of a network, independent of graph and
/// memory: a trainer supplies a [Level] for each layer, the [NetworkInput] and the [StackMemory].
public final class LayerStack {
  private final NetworkSettings settings;
  private final Network network;
  private final List<GraphLayer> layers;
  private final long seed;
  private final Kernels kernels;
  private final RankSums ranks;
  private final List<String> forwardNames;
  private final List<String> backwardNames;
  private @Nullable NumericFault fault;

  /// Creates the layers.
  ///
  /// @param settings shape of the network
  /// @param network its layers
  /// @param seed of the dropout
  /// @param kernels threads and clock; borrowed
  /// @param ranks that compute each training pass together
  public LayerStack(
      NetworkSettings settings, Network network, long seed, Kernels kernels, RankSums ranks) {
    this.settings = settings;
    this.network = network;
    this.layers = network.layers();
    this.seed = seed;
    this.kernels = kernels;
    this.ranks = ranks;
    forwardNames = names("forward");
    backwardNames = names("backward");
  }

  private List<String> names(String pass) {
    return IntStream.rangeClosed(1, layers.size())
        .mapToObj(l -> "layer %d %s".formatted(l, pass))
        .toList();
  }

  /// One layer's view of the graph.
  ///
  /// @param graph from its sources to its targets
  /// @param size of its passes
  /// @param targets numbers of the targets in the data set, by which dropout is drawn; of a layer
  ///   that drops rows of its sources, those of all sources, which begin with the targets
  /// @param supplied number of trailing sources that the previous layer does not compute
  public record Level(GraphView graph, PassSize size, RowIds targets, int supplied) {
    /// Creates the view of a layer whose sources are all computed.
    ///
    /// @param graph from its sources to its targets
    /// @param size of its passes
    /// @param targets numbers of its output rows in the data set
    public Level(GraphView graph, PassSize size, RowIds targets) {
      this(graph, size, targets, 0);
    }
  }

  /// {@return the passes of a training step}
  ///
  /// @param levels one for each layer
  /// @param input with the step's dropout
  /// @param memory of the passes; borrowed
  /// @param step epoch or batch whose dropout is drawn
  public Passes training(
      List<Level> levels, NetworkInput.Rows input, StackMemory memory, long step) {
    return passes(levels, input, memory, step);
  }

  /// {@return a forward pass without dropout}
  ///
  /// @param levels one for each layer
  /// @param input one row for each source
  /// @param memory of the passes; borrowed
  public Passes evaluation(List<Level> levels, NetworkInput.Rows input, StackMemory memory) {
    return passes(levels, input, memory, null);
  }

  /// {@return the output of one layer without dropout} Borrowed from the memory.
  ///
  /// @param l number of the layer, from 0
  /// @param level of the layer
  /// @param input one row for each source
  /// @param memory of the passes; borrowed
  /// @param carried the targets' rows of what layers leave for later ones; null if none does
  /// @param state with the weights
  public DenseMatrix output(
      int l,
      Level level,
      NetworkInput.Rows input,
      StackMemory memory,
      @Nullable DenseMatrix carried,
      DenseState state) {
    LayerPass pass = evaluation(l, level, input, memory, carried);
    layers.get(l).forward(pass, state, kernels);
    return pass.output();
  }

  /// {@return the pass of one layer without dropout} One layer after another uses the memory of the
  /// first.
  ///
  /// @param l number of the layer, from 0
  /// @param level of the layer
  /// @param input one row for each source
  /// @param memory of the passes; borrowed
  /// @param carried the targets' rows of what layers leave for later ones; null if none does
  public LayerPass evaluation(
      int l,
      Level level,
      NetworkInput.Rows input,
      StackMemory memory,
      @Nullable DenseMatrix carried) {
    GraphLayer layer = layers.get(l);
    return new LayerPass(
        input.own(),
        input.sources(),
        level.graph(),
        settings.activation(l),
        _ -> settings.innerActivation(),
        null,
        null,
        memory.shared(layer.sharedElements(level.size(), Backward.NONE)),
        memory.kept(0, layer.keptElements(level.size())),
        carried,
        memory.output(0, level.size().targets(), layer.out()));
  }

  /// @param step of the dropout; null in evaluation
  private Passes passes(
      List<Level> levels, NetworkInput.Rows input, StackMemory memory, @Nullable Long step) {
    long largest = 0;
    for (int l = 0; l < levels.size(); l++) {
      Backward backward =
          step == null ? Backward.NONE : l > 0 ? Backward.INPUT : Backward.PARAMETERS;
      largest = Math.max(largest, layers.get(l).sharedElements(levels.get(l).size(), backward));
    }
    DenseMatrix work = memory.shared(largest);
    List<LayerPass> passes = new ArrayList<>();
    NetworkInput.Rows rows = input;
    DenseMatrix carried = carried(levels, memory);
    for (int l = 0; l < levels.size(); l++) {
      Level level = levels.get(l);
      long targets = level.size().targets();
      int supplied = l + 1 < levels.size() ? levels.get(l + 1).supplied() : 0;
      DenseMatrix output = memory.output(l, targets + supplied, layers.get(l).out());
      DenseMatrix left =
          carried == null ? null : carried.rows(0, Math.min(targets, carried.rows()));
      passes.add(pass(l, level, rows, work, memory, left, output.rows(0, targets), step));
      if (l + 1 < levels.size()) {
        rows = NetworkInput.dense(output, levels.get(l + 1).size().targets());
      }
    }
    return new Passes(levels, passes, carried);
  }

  private @Nullable DenseMatrix carried(List<Level> levels, StackMemory memory) {
    int width = network.carriedWidth();
    return width == 0
        ? null
        : memory.carried(network.carriedRows(levels.stream().map(Level::size).toList()), width);
  }

  private LayerPass pass(
      int l,
      Level level,
      NetworkInput.Rows rows,
      DenseMatrix work,
      StackMemory memory,
      @Nullable DenseMatrix carried,
      DenseMatrix output,
      @Nullable Long step) {
    EdgeDropout dropout = step == null ? null : settings.edgeDropout(l, seed, step);
    return new LayerPass(
        rows.own(),
        rows.sources(),
        step == null ? level.graph() : level.graph().drawn(step),
        step == null ? settings.activation(l) : settings.activation(l, seed, step, level.targets()),
        step == null
            ? _ -> settings.innerActivation()
            : i -> settings.innerActivation(l, i, seed, step, level.targets()),
        dropout,
        step == null ? null : ranks,
        work,
        memory.kept(l, layers.get(l).keptElements(level.size())),
        carried,
        output);
  }

  /// {@return what [Passes#examine] has found first; null if nothing}
  public @Nullable NumericFault fault() {
    return fault;
  }

  /// One forward pass and its backward pass.
  public final class Passes {
    private final List<Level> levels;
    private final List<LayerPass> passes;
    private final @Nullable DenseMatrix carried;

    private Passes(List<Level> levels, List<LayerPass> passes, @Nullable DenseMatrix carried) {
      this.levels = levels;
      this.passes = passes;
      this.carried = carried;
    }

    /// Runs the forward pass.
    ///
    /// @param state with the weights
    /// @param beyond supplies rows that no layer computes
    /// @return the last layer's output: logits
    public DenseMatrix forward(DenseState state, LayerRows beyond) {
      for (int l = 0; l < passes.size(); l++) {
        int supplied = levels.get(l).supplied();
        if (l > 0 && supplied > 0) {
          DenseMatrix h = input(l);
          beyond.supply(l, h.rows(h.rows() - supplied, h.rows()));
        }
        try (var _ = kernels.clock().step(forwardNames.get(l))) {
          layers.get(l).forward(passes.get(l), state, kernels);
        }
      }
      beyond.computed(passes.stream().limit(passes.size() - 1L).map(LayerPass::output).toList());
      return passes.getLast().output();
    }

    /// Looks for the layer in which numbers went wrong, if the loss shows that they have: to be
    /// called between both passes, of which the second overwrites outputs and comes before a step
    /// with gradients that spoil all weights.
    ///
    /// @param loss of the last layer's output, which its gradient may have replaced
    /// @param state with the weights
    public void examine(double loss, DenseState state) {
      if (fault != null || Double.isFinite(loss)) {
        return;
      }
      // Gradients go from the last layer to the first, so the last with such weights was the
      // source.
      for (int l = layers.size(); l > 0; l--) {
        if (!isFinite(layers.get(l - 1), state)) {
          fault = new NumericFault(l, true);
          return;
        }
      }
      int first = 1;
      while (first < passes.size() && passes.get(first - 1).output().isFinite()) {
        first++;
      }
      fault = new NumericFault(first, false);
    }

    private static boolean isFinite(GraphLayer layer, DenseState state) {
      return state.layout().entries().stream()
          .map(ParameterLayout.Entry::name)
          .filter(name -> name.startsWith(layer.name() + "."))
          .allMatch(name -> state.weight(name).isFinite());
    }

    /// Runs the backward pass from the gradient of the logits in the last layer's output, and
    /// writes the gradients of all parameters into `state`.
    ///
    /// @param state with the weights
    public void backward(DenseState state) {
      if (carried != null && !layers.getLast().joinsCarried()) {
        // From here on it is the gradient of the carried rows, which layers add to.
        carried.fill(0);
      }
      for (int l = passes.size() - 1; l >= 0; l--) {
        try (var _ = kernels.clock().step(backwardNames.get(l))) {
          layers.get(l).backward(passes.get(l), state, kernels);
          if (l > 0) {
            Activation before = layers.get(l - 1).leftToNext(passes.get(l - 1).activation());
            layers.get(l).inputGradient(passes.get(l), input(l), before, state, kernels);
          }
        }
      }
    }

    /// What a layer but the first reads: what the layer before computes, and the rows that are
    /// supplied under it.
    private DenseMatrix input(int l) {
      return ((LayerInput.Dense) passes.get(l).sources()).h();
    }
  }
}
