package dev.gossamer.gnn.block;

import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.stack.FeaturedEdges;
import dev.gossamer.gnn.stack.GrowingMemory;
import dev.gossamer.gnn.stack.InputDropout;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.LayerRows;
import dev.gossamer.gnn.stack.LayerStack;
import dev.gossamer.gnn.stack.LocalAggregation;
import dev.gossamer.gnn.stack.LocalEdges;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkInput;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.RelationSums;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.EntryDropout;
import dev.gossamer.nn.layers.Aggregation;
import dev.gossamer.nn.layers.GraphView;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.LayerHalves;
import dev.gossamer.nn.layers.LayerInput;
import dev.gossamer.nn.layers.LayerPass;
import dev.gossamer.nn.layers.Neighbourhood;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.nn.layers.RankSums;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.NumericFault;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Runs a network on the blocks of one batch after another, in memory that grows to the largest
/// batch.
public final class BlockStack implements AutoCloseable {
  private final GraphData data;
  private final NetworkSettings settings;
  private final Network network;
  private final long seed;
  private final Kernels kernels;
  private final UnaryOperator<int[]> datasetIds;
  private final LayerStack stack;
  private final GrowingMemory memory;

  /// Creates a stack without memory.
  ///
  /// @param data the data set, whose features of edges layers may read; borrowed
  /// @param settings shape of the network
  /// @param network its layers
  /// @param seed of all draws
  /// @param kernels threads and clock; borrowed
  /// @param datasetIds numbers of the vertices in the data set, by which dropout is drawn
  public BlockStack(
      GraphData data,
      NetworkSettings settings,
      Network network,
      long seed,
      Kernels kernels,
      UnaryOperator<int[]> datasetIds) {
    this.data = data;
    this.settings = settings;
    this.network = network;
    this.seed = seed;
    this.kernels = kernels;
    this.datasetIds = datasetIds;
    stack = new LayerStack(settings, network, seed, kernels, RankSums.ALONE);
    memory = new GrowingMemory(network.layers().size());
  }

  /// {@return the network}
  public NetworkSettings settings() {
    return settings;
  }

  /// {@return width of the logits}
  public int outputs() {
    return network.layers().getLast().out();
  }

  /// Computes the loss and its gradient.
  @FunctionalInterface
  public interface Loss {
    /// Replaces logits by their gradient.
    ///
    /// @param logits overwritten
    /// @return the loss
    double lossAndGradient(DenseMatrix logits);
  }

  /// Runs the forward pass, the loss and the backward pass of a batch, and writes gradients into
  /// `state`.
  ///
  /// @param batch blocks and seeds
  /// @param x one row for each input of the batch; dense rows are overwritten if inputs are dropped
  /// @param step of the dropout: epoch and batch
  /// @param state with the weights
  /// @param loss of the logits
  /// @param rows supplies rows that the blocks do not compute
  /// @return the loss
  public double train(
      SampledBatch batch, Features x, long step, DenseState state, Loss loss, LayerRows rows) {
    try (Arena arena = Arena.ofShared()) {
      NetworkInput.Rows input = input(arena, x, batch).training(step);
      List<LayerStack.Level> levels = levels(arena, left(arena, batch.blocks(), step));
      LayerStack.Passes passes = stack.training(levels, input, memory, step);
      DenseMatrix logits = passes.forward(state, rows);
      double result;
      try (var _ = kernels.clock().step("loss")) {
        result = loss.lossAndGradient(logits);
      }
      passes.examine(result, state);
      passes.backward(state);
      return result;
    }
  }

  /// {@return where numbers ceased to be finite in a batch; null if they have not}
  public @Nullable NumericFault fault() {
    return stack.fault();
  }

  /// {@return logits of a batch's seeds without dropout} Borrowed: the next call overwrites them.
  ///
  /// @param batch blocks and seeds
  /// @param x one row for each input of the batch
  /// @param state with the weights
  public DenseMatrix logits(SampledBatch batch, Features x, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      return stack
          .evaluation(levels(arena, batch.blocks()), input(arena, x, batch).evaluation(), memory)
          .forward(state, LayerRows.NONE);
    }
  }

  /// Computes the outputs of all layers but the last without dropout.
  ///
  /// @param batch blocks and seeds
  /// @param x one row for each input of the batch
  /// @param state with the weights
  /// @param outputs receives the output of each layer, borrowed during the call
  public void hidden(
      SampledBatch batch, Features x, DenseState state, Consumer<List<DenseMatrix>> outputs) {
    LayerRows rows =
        new LayerRows() {
          @Override
          public void supply(int l, DenseMatrix supplied) {}

          @Override
          public void computed(List<DenseMatrix> hidden) {
            outputs.accept(hidden);
          }
        };
    try (Arena arena = Arena.ofShared()) {
      stack
          .evaluation(levels(arena, batch.blocks()), input(arena, x, batch).evaluation(), memory)
          .forward(state, rows);
    }
  }

  /// {@return the output of a layer on a block, without dropout} Borrowed: the next call overwrites
  /// it.
  ///
  /// @param l number of the layer, from 0
  /// @param block its sources and targets
  /// @param h one row for each source
  /// @param carried the targets' rows of what layers leave for later ones; null if none does
  /// @param state with the weights
  public DenseMatrix output(
      int l, SampledBlock block, Features h, @Nullable DenseMatrix carried, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      LayerStack.Level level = level(arena, l, block);
      NetworkInput.Rows rows =
          input(arena, l, h, block.destinations(), level.targets()).evaluation();
      return stack.output(l, level, rows, memory, carried, state);
    }
  }

  /// {@return the output of a layer for consecutive rows of a whole graph, without dropout}
  /// Borrowed: the next call overwrites it.
  ///
  /// @param l number of the layer, from 0
  /// @param matrix the rows of the graph; ignored by a layer that does not aggregate
  /// @param first vertex of the first of them
  /// @param h one row for each vertex of the graph
  /// @param carried the rows' own of what layers leave for later ones; null if none does
  /// @param state with the weights
  public DenseMatrix output(
      int l,
      CsrMatrix matrix,
      int first,
      DenseMatrix h,
      @Nullable DenseMatrix carried,
      DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      NetworkInput.Rows rows =
          new NetworkInput.Rows(
              new LayerInput.Dense(h.rows(first, first + matrix.rows())), new LayerInput.Dense(h));
      LayerStack.Level level = aggregated(arena, matrix, RowIds.from(first));
      return stack.output(l, level, rows, memory, carried, state);
    }
  }

  /// {@return the output of a layer that ignores the graph, without dropout} Borrowed: the next
  /// call overwrites it.
  ///
  /// @param l number of the layer, from 0
  /// @param h one row for each of them
  /// @param rows of the input
  /// @param state with the weights
  public DenseMatrix output(int l, Features h, int rows, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      LayerStack.Level level = alone(rows);
      NetworkInput.Rows input = input(arena, l, h, rows, level.targets()).evaluation();
      return stack.output(l, level, input, memory, null, state);
    }
  }

  /// The level of a layer that does not look at the graph.
  private static LayerStack.Level alone(long rows) {
    return new LayerStack.Level(Aggregation.IDENTITY, new PassSize(rows, rows, 0), RowIds.from(0));
  }

  /// Computes the first half of a layer that is linear in its aggregation, without dropout.
  ///
  /// @param layer the first of the network
  /// @param h some rows of the input
  /// @param to receives the results, and with them the own rows and what is left for later layers
  /// @param state with the weights
  public void transform(LayerHalves layer, Features h, Transformed to, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      LayerStack.Level level = alone(to.hw().rows());
      int rows = Math.toIntExact(to.hw().rows());
      NetworkInput.Rows input = input(arena, 0, h, rows, level.targets()).evaluation();
      LayerPass pass = stack.evaluation(0, level, input, memory, to.carried());
      layer.transform(pass, to.hw(), to.o(), state, kernels);
    }
  }

  /// What the first half of a layer makes of rows of its input.
  ///
  /// @param hw one row for each of them, or for each source
  /// @param o what it makes of the targets' own rows
  /// @param carried the targets' rows of what is left for later layers; null if nothing is
  public record Transformed(DenseMatrix hw, DenseMatrix o, @Nullable DenseMatrix carried) {}

  /// {@return the second half of such a layer, which aggregates} Borrowed: the next call overwrites
  /// it.
  ///
  /// @param layer two halves of the first of the network
  /// @param matrix rows of the graph
  /// @param from what the first half made of its sources and targets
  /// @param state with the weights
  public DenseMatrix aggregate(
      LayerHalves layer, CsrMatrix matrix, Transformed from, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      return aggregate(layer, ofTargets(arena, matrix), from, state);
    }
  }

  /// {@return the second half of such a layer on a block} Borrowed: the next call overwrites it.
  ///
  /// @param layer two halves of the first of the network
  /// @param block its sources and targets
  /// @param from what the first half made of them
  /// @param state with the weights
  public DenseMatrix aggregate(
      LayerHalves layer, SampledBlock block, Transformed from, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      LayerStack.Level level =
          settings.seesEdges() ? level(arena, 0, block) : ofTargets(arena, block.matrix());
      return aggregate(layer, level, from, state);
    }
  }

  private LayerStack.Level ofTargets(Arena arena, CsrMatrix matrix) {
    GraphView view = LocalAggregation.ofBlock(arena, matrix, kernels);
    PassSize size = new PassSize(matrix.rows(), matrix.rows(), 0);
    return new LayerStack.Level(view, size, RowIds.from(0));
  }

  private DenseMatrix aggregate(
      LayerHalves layer, LayerStack.Level level, Transformed from, DenseState state) {
    NetworkInput.Rows rows =
        new NetworkInput.Rows(new LayerInput.Dense(from.o()), new LayerInput.Dense(from.hw()));
    LayerPass pass = stack.evaluation(0, level, rows, memory, from.carried());
    layer.aggregate(pass, from.hw(), from.o(), state, kernels);
    return pass.output();
  }

  private NetworkInput input(Arena arena, Features x, SampledBatch batch) {
    RowIds ids =
        settings.inputDropout() == 0 ? RowIds.from(0) : RowIds.of(datasetIds.apply(batch.inputs()));
    return input(arena, 0, x, batch.blocks().getFirst().destinations(), ids);
  }

  /// @param targets of the layer
  /// @param ids of the rows, for dropout
  private NetworkInput input(Arena arena, int l, Features x, int targets, RowIds ids) {
    boolean own = x instanceof Features.Dense || network.layers().get(l).readsOwnRows();
    InputDropout dropout = new InputDropout(settings.inputDropping(seed), ids, kernels.workers());
    return NetworkInput.of(arena, x, own ? targets : rows(x), dropout, memory);
  }

  private static int rows(Features x) {
    return x instanceof Features.Sparse sparse ? Math.toIntExact(sparse.x().rows()) : 0;
  }

  /// The layers' levels; the layers of a subgraph share one block, which is looked at once.
  private List<LayerStack.Level> levels(Arena arena, List<SampledBlock> blocks) {
    List<LayerStack.Level> levels = new ArrayList<>();
    for (int l = 0; l < blocks.size(); l++) {
      boolean sameBlock = l > 0 && blocks.get(l) == blocks.get(l - 1);
      levels.add(sameBlock ? levels.getLast() : level(arena, l, blocks.get(l)));
    }
    return levels;
  }

  /// The blocks with what edge dropout leaves of them in a step; the layers of a subgraph still
  /// share one.
  private List<SampledBlock> left(Arena arena, List<SampledBlock> blocks, long step) {
    EntryDropout dropout = settings.droppedEdges(seed);
    if (dropout == null) {
      return blocks;
    }
    EntryDropout.Outcome outcome = outcome(dropout);
    List<SampledBlock> left = new ArrayList<>();
    for (int l = 0; l < blocks.size(); l++) {
      SampledBlock block = blocks.get(l);
      boolean sameBlock = l > 0 && block == blocks.get(l - 1);
      left.add(sameBlock ? left.getLast() : left(arena, block, step, dropout, outcome));
    }
    return left;
  }

  /// What becomes of the value of an edge: the number of the set of its relations, or its weight,
  /// which attention normalises itself.
  private EntryDropout.Outcome outcome(EntryDropout dropout) {
    return switch (settings.kind().sight()) {
      case NONE, ROWS, MESSAGES -> dropout.scaled();
      case EDGES -> new EntryDropout.Outcome(1, 1, 0);
      case RELATIONS -> new EntryDropout.Outcome(1, 1, RelationSums.NONE);
    };
  }

  private SampledBlock left(
      Arena arena,
      SampledBlock block,
      long step,
      EntryDropout dropout,
      EntryDropout.Outcome outcome) {
    CsrMatrix a = block.matrix();
    MemorySegment values = arena.allocate(a.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    RowIds sources = RowIds.of(datasetIds.apply(block.sources()));
    dropout.apply(a, step, sources, sources, outcome, values, kernels.workers());
    return block.withMatrix(a.withValues(values).withScales(a.rowScale(), null));
  }

  private LayerStack.Level level(Arena arena, int l, SampledBlock block) {
    boolean ofSources = l == 0 && settings.projectsFirst();
    int ids = ofSources ? block.sources().length : block.destinations();
    RowIds targets = RowIds.of(datasetIds.apply(Arrays.copyOf(block.sources(), ids)));
    if (!settings.seesEdges()) {
      LayerStack.Level level = aggregated(arena, block.matrix(), targets);
      return new LayerStack.Level(level.graph(), level.size(), targets, block.supplied());
    }
    RowIds sources = RowIds.of(datasetIds.apply(block.sources()));
    LocalEdges all =
        settings.kind().sight() == LayerKind.Sight.EDGES
            ? LocalEdges.ofBlock(arena, block.matrix(), sources, settings.selfLoops())
            : LocalEdges.ofEntries(arena, block.matrix(), sources);
    Neighbourhood edges = FeaturedEdges.of(arena, all, data, settings, kernels.workers());
    return new LayerStack.Level(edges, edges.size(), targets, block.supplied());
  }

  private LayerStack.Level aggregated(Arena arena, CsrMatrix matrix, RowIds targets) {
    GraphView view = LocalAggregation.ofBlock(arena, matrix, kernels);
    return new LayerStack.Level(view, new PassSize(matrix.cols(), matrix.rows(), 0), targets);
  }

  @Override
  public void close() {
    memory.close();
  }
}
