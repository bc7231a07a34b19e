package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.sampling.SampledBatch;
import dev.gossamer.gnn.sampling.SampledBlock;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.Activation;
import dev.gossamer.nn.Backward;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.GraphView;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.LayerInput;
import dev.gossamer.nn.LayerPass;
import dev.gossamer.nn.PassSize;
import dev.gossamer.run.memory.GrowingSegment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A network on the blocks of one batch after another, in memory that grows to the largest batch
/// and stays.
final class BlockNetwork implements AutoCloseable {
  private final NetworkSettings settings;
  private final Network network;
  private final long seed;
  private final Kernels kernels;
  private final UnaryOperator<int[]> datasetIds;
  private final GrowingSegment shared = new GrowingSegment();
  private final GrowingSegment droppedValues = new GrowingSegment();
  private final List<GrowingSegment> kept = new ArrayList<>();
  private final List<GrowingSegment> outputs = new ArrayList<>();
  private final List<String> forwardNames = new ArrayList<>();
  private final List<String> backwardNames = new ArrayList<>();

  /// @param datasetIds numbers of vertices that do not depend on who has them: dropout is drawn by
  ///   them
  BlockNetwork(
      NetworkSettings settings,
      Network network,
      long seed,
      Kernels kernels,
      UnaryOperator<int[]> datasetIds) {
    this.datasetIds = datasetIds;
    this.settings = settings;
    this.network = network;
    this.seed = seed;
    this.kernels = kernels;
    for (int l = 0; l < network.layers().size(); l++) {
      kept.add(new GrowingSegment());
      outputs.add(new GrowingSegment());
      forwardNames.add("layer %d forward".formatted(l + 1));
      backwardNames.add("layer %d backward".formatted(l + 1));
    }
  }

  /// What the loss makes of logits: their gradient, in place.
  @FunctionalInterface
  interface Loss {
    double lossAndGradient(DenseMatrix logits);
  }

  /// Forward, loss and backward: the gradients of a batch, into `state`.
  ///
  /// @param x one row for each input of the batch; dense rows are overwritten if inputs are dropped
  /// @param step of the dropout: epoch and batch
  /// @param rows where rows come from that the blocks do not compute
  /// @return the loss
  double train(
      SampledBatch batch, Features x, long step, DenseState state, Loss loss, LayerRows rows) {
    try (Arena arena = Arena.ofShared()) {
      List<LayerPass> passes = passes(arena, batch.blocks(), dropped(x, batch, step), step);
      List<Activation> activations = new ArrayList<>();
      for (int l = 0; l < passes.size(); l++) {
        SampledBlock block = batch.blocks().get(l);
        int[] targets = Arrays.copyOf(block.sources(), block.destinations());
        RowIds ids = RowIds.of(datasetIds.apply(targets));
        activations.add(settings.activation(l, seed, step, ids));
        if (l > 0 && block.supplied() > 0) {
          rows.supply(l, inputOf(l, passes).rows(block.computed(), block.sources().length));
        }
        try (var _ = kernels.clock().step(forwardNames.get(l))) {
          layer(l).forward(passes.get(l), activations.get(l), state, kernels);
        }
      }
      rows.computed(passes.stream().limit(passes.size() - 1L).map(LayerPass::output).toList());
      double result;
      try (var _ = kernels.clock().step("loss")) {
        result = loss.lossAndGradient(passes.getLast().output());
      }
      for (int l = passes.size() - 1; l >= 0; l--) {
        try (var _ = kernels.clock().step(backwardNames.get(l))) {
          backward(l, passes, activations, state);
        }
      }
      return result;
    }
  }

  private void backward(
      int l, List<LayerPass> passes, List<Activation> activations, DenseState state) {
    layer(l).backward(passes.get(l), state, kernels);
    if (l > 0) {
      layer(l)
          .inputGradient(passes.get(l), inputOf(l, passes), activations.get(l - 1), state, kernels);
    }
  }

  /// What a layer but the first reads: what the layer before computes, and the rows that are
  /// supplied under it.
  private static DenseMatrix inputOf(int l, List<LayerPass> passes) {
    return ((LayerInput.Dense) passes.get(l).sources()).h();
  }

  /// Logits of a batch's seeds without dropout. Borrowed: the next call overwrites them.
  DenseMatrix logits(SampledBatch batch, Features x, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      List<LayerPass> passes = passes(arena, batch.blocks(), x, null);
      for (int l = 0; l < passes.size(); l++) {
        layer(l).forward(passes.get(l), settings.activation(l), state, kernels);
      }
      return passes.getLast().output();
    }
  }

  /// What a layer makes of a block without dropout. Borrowed: the next call overwrites it.
  ///
  /// @param h one row for each source
  DenseMatrix layerOutput(int l, SampledBlock block, Features h, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      return layerOutput(l, seen(arena, block), rows(arena, h, block.destinations(), false), state);
    }
  }

  /// Whether rows of a matrix will do for [#layerOutput(int, CsrMatrix, int, DenseMatrix,
  /// DenseState)].
  boolean aggregates() {
    return !settings.seesEdges();
  }

  /// What a layer that aggregates makes of some consecutive rows of a whole graph without dropout.
  /// Borrowed: the next call overwrites it.
  ///
  /// @param matrix the rows
  /// @param first vertex of the first of them
  /// @param h one row for each vertex of the graph
  DenseMatrix layerOutput(int l, CsrMatrix matrix, int first, DenseMatrix h, DenseState state) {
    try (Arena arena = Arena.ofShared()) {
      LayerInput own = new LayerInput.Dense(h.rows(first, first + matrix.rows()));
      Rows input = new Rows(own, new LayerInput.Dense(h));
      return layerOutput(l, aggregated(arena, matrix), input, state);
    }
  }

  private DenseMatrix layerOutput(int l, Seen seen, Rows input, DenseState state) {
    DenseMatrix work = shared.ofRows(layer(l).sharedElements(seen.size(), Backward.NONE), 1);
    DenseMatrix output = outputs.get(l).ofRows(seen.size().targets(), layer(l).out());
    LayerPass pass = pass(l, seen, input, work, null, output);
    layer(l).forward(pass, settings.activation(l), state, kernels);
    return pass.output();
  }

  private GraphLayer layer(int l) {
    return network.layers().get(l);
  }

  /// A block as layers see it.
  private record Seen(GraphView view, PassSize size) {}

  private Seen seen(Arena arena, SampledBlock block) {
    if (!settings.seesEdges()) {
      return aggregated(arena, block.matrix());
    }
    BlockEdges view =
        new BlockEdges(
            arena,
            block.matrix(),
            RowIds.of(datasetIds.apply(block.sources())),
            settings.selfLoops());
    EdgePattern edges = view.edges();
    return new Seen(view, new PassSize(edges.sources(), edges.targets(), edges.count()));
  }

  private Seen aggregated(Arena arena, CsrMatrix matrix) {
    return new Seen(
        new BlockAggregation(arena, matrix, kernels),
        new PassSize(matrix.cols(), matrix.rows(), 0));
  }

  /// @param step of the dropout; null in evaluation
  private List<LayerPass> passes(
      Arena arena, List<SampledBlock> blocks, Features x, @Nullable Long step) {
    List<Seen> seen = new ArrayList<>();
    long largest = 0;
    for (int l = 0; l < blocks.size(); l++) {
      boolean sameBlock = l > 0 && blocks.get(l) == blocks.get(l - 1);
      seen.add(sameBlock ? seen.getLast() : seen(arena, blocks.get(l)));
      Backward backward =
          step == null ? Backward.NONE : l > 0 ? Backward.INPUT : Backward.PARAMETERS;
      largest = Math.max(largest, layer(l).sharedElements(seen.getLast().size(), backward));
    }
    DenseMatrix work = shared.ofRows(largest, 1);
    List<LayerPass> passes = new ArrayList<>();
    DenseMatrix below = work;
    for (int l = 0; l < blocks.size(); l++) {
      int targets = blocks.get(l).destinations();
      Rows input = l == 0 ? rows(arena, x, targets, step != null) : dense(below, targets);
      int beyond = l + 1 < blocks.size() ? blocks.get(l + 1).supplied() : 0;
      below = outputs.get(l).ofRows((long) targets + beyond, layer(l).out());
      EdgeDropout dropout = step == null ? null : settings.attentionDropout(l, seed, step);
      passes.add(pass(l, seen.get(l), input, work, dropout, below.rows(0, targets)));
    }
    return passes;
  }

  private LayerPass pass(
      int l,
      Seen seen,
      Rows input,
      DenseMatrix work,
      @Nullable EdgeDropout dropout,
      DenseMatrix output) {
    return new LayerPass(
        input.own(),
        input.sources(),
        seen.view(),
        dropout,
        work,
        kept.get(l).ofRows(layer(l).keptElements(seen.size()), 1),
        output);
  }

  /// What a layer reads: the rows of the targets, and those of all sources.
  private record Rows(LayerInput own, LayerInput sources) {}

  private static Rows dense(DenseMatrix h, int targets) {
    return new Rows(new LayerInput.Dense(h.rows(0, targets)), new LayerInput.Dense(h));
  }

  private Rows rows(Arena arena, Features x, int targets, boolean training) {
    return switch (x) {
      case Features.Dense dense -> dense(dense.x(), targets);
      case Features.Sparse sparse -> {
        LayerInput sources = sparse(arena, sparse.x(), training);
        boolean own = settings.model() == NetworkSettings.Model.SAGE;
        yield new Rows(
            own ? sparse(arena, sparse.x().rows(arena, 0, targets), training) : sources, sources);
      }
      case Features.None none ->
          throw new IllegalArgumentException("a network needs features, and there are none");
    };
  }

  private static LayerInput sparse(Arena arena, CsrMatrix x, boolean training) {
    return new LayerInput.Sparse(new Spmm(x), training ? new Spmm(x.transpose(arena)) : null);
  }

  /// The features with this step's dropout applied, dense ones in place.
  private Features dropped(Features x, SampledBatch batch, long step) {
    if (settings.inputDropout() == 0) {
      return x;
    }
    RowIds ids = RowIds.of(datasetIds.apply(batch.inputs()));
    return switch (x) {
      case Features.Dense dense -> {
        settings.inputDropping(seed).apply(dense.x(), step, ids, kernels.workers());
        yield x;
      }
      case Features.Sparse sparse -> {
        MemorySegment values = droppedValues.ofBytes(sparse.x().nnz() * Float.BYTES);
        settings.inputDropping(seed).sparse(sparse.x(), step, ids, values, kernels.workers());
        yield new Features.Sparse(sparse.x().withValues(values));
      }
      case Features.None none -> none;
    };
  }

  @Override
  public void close() {
    shared.close();
    droppedValues.close();
    kept.forEach(GrowingSegment::close);
    outputs.forEach(GrowingSegment::close);
  }
}
