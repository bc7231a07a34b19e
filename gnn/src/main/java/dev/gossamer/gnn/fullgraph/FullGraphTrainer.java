package dev.gossamer.gnn.fullgraph;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Traffic;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeWidth;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.gnn.hop.HopFeatures;
import dev.gossamer.gnn.stack.InputDropout;
import dev.gossamer.gnn.stack.LayerRows;
import dev.gossamer.gnn.stack.LayerStack;
import dev.gossamer.gnn.stack.NetworkInput;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.PlannedMemory;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.EntryDropout;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.clock.PhaseClock;
import dev.gossamer.nn.layers.Aggregation;
import dev.gossamer.nn.layers.Glorot;
import dev.gossamer.nn.layers.GraphView;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.Neighbourhood;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.nn.layers.RunningStatistics;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.NumericFault;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Trains a network on a whole graph: an epoch is one forward pass, one backward pass and one
/// optimizer step over all vertices (MG, section 4), which are distributed over the ranks (SA,
/// section 4). Weights are the same on all ranks; their gradients are added up once per epoch. The
/// constructor and all methods are collective unless stated otherwise.
///
/// The constructor allocates all buffers, as in the [NetworkPlan]; an epoch allocates nothing with
/// one row per vertex.
public final class FullGraphTrainer implements EpochTrainer {
  private final Communicator world;
  private final Arena arena = Arena.ofShared();
  private final ProcessGrid grid;
  private final NetworkTraining training;
  private final Kernels kernels;
  private final NetworkPlan plan;
  private final Shard shard;
  private final Team column;
  private final Team everybody;
  private final RankLoss loss;

  private final LayerStack stack;
  private final List<LayerStack.Level> levels;
  private final NetworkInput input;
  private final PlannedMemory memory;
  private final DenseState state;
  private final Optimizer optimizer;
  private final RunningStatistics statistics;
  private Traffic.Snapshot lastEpoch;

  /// Allocates all memory and initialises the weights identically on all ranks. Collective.
  ///
  /// @param world all ranks, often one; borrowed
  /// @param graph with features, labels and split; only the rank's rows are copied and normalised;
  ///   must outlive the trainer
  /// @param strategy with the same number of blocks as the placement of the graph
  /// @param training the network, the optimizer and the seed
  /// @param kernels threads and clock of this rank; borrowed
  public FullGraphTrainer(
      Communicator world,
      PlacedGraph graph,
      ExchangeStrategy strategy,
      NetworkTraining training,
      Kernels kernels) {
    this(world, graph, GraphProducts.usual(strategy), training, kernels);
  }

  /// Does the same, with products as the memory allows ([RankPlan#within]).
  ///
  /// @param world all ranks, often one; borrowed
  /// @param graph as above
  /// @param products the same on all ranks
  /// @param training the network, the optimizer and the seed
  /// @param kernels threads and clock of this rank; borrowed
  public FullGraphTrainer(
      Communicator world,
      PlacedGraph graph,
      GraphProducts products,
      NetworkTraining training,
      Kernels kernels) {
    ExchangeStrategy strategy = products.strategy();
    this.world = world;
    this.training = training;
    this.kernels = kernels;
    try {
      grid = new ProcessGrid(world, strategy.replication());
      GraphData data = graph.data();
      NetworkSettings network = training.network();
      int own = graph.placement().distribution().count(grid.row());
      NetworkPlan ofRows = plan(data, new PassSize(own, own, 0), products);
      ExchangeWidth width = ofRows.exchangeWidth(products.columns());
      EntryDropout dropped = network.droppedEdges(training.seed());
      GraphView view =
          new GraphViews(grid, strategy, width, dropped, kernels, arena).of(graph, network);
      PassSize size = size(view, own);
      plan = network.seesEdges() ? plan(data, size, products) : ofRows;
      column = Team.of(grid.processColumn(), arena);
      everybody = Team.of(world, arena);
      shard = Shard.of(arena, new HopFeatures(grid, strategy, graph, kernels), network);
      loss = RankLoss.of(training, graph, shard.members(), grid.processColumn(), column, kernels);
      stack = new LayerStack(network, plan.network(), training.seed(), kernels, column::sum);
      levels = Collections.nCopies(network.layers(), new LayerStack.Level(view, size, shard.ids()));
      memory = new PlannedMemory(arena, plan.buffers(), network.layers());
      input = input(view);
      state = new DenseState(arena, plan.network().layout());
      optimizer = new Optimizer(arena, training.rule(), plan.network().layout());
      statistics = new RunningStatistics(plan.network().layout());
      Glorot.initialise(state, training.seed());
      lastEpoch = new Traffic(world.size()).snapshot();
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private NetworkPlan plan(GraphData data, PassSize size, GraphProducts products) {
    return NetworkPlan.of(
        data.features(), size, data.outputs(), training.network(), products.input());
  }

  private static PassSize size(GraphView view, int own) {
    return switch (view) {
      case Neighbourhood edges -> edges.size();
      case Aggregation _ -> new PassSize(own, own, 0);
    };
  }

  private NetworkInput input(GraphView view) {
    if (plan.aggregatesInput()
        && shard.features() instanceof Features.Dense dense
        && view instanceof Aggregation aggregation) {
      DenseMatrix ax = plan.buffers().allocate(arena, NetworkPlan.INPUT);
      aggregation.forward(dense.x(), ax, RowEpilogue.NONE);
      return NetworkInput.aggregated(dense.x(), ax);
    }
    InputDropout dropout =
        new InputDropout(
            training.network().inputDropping(training.seed()), shard.ids(), kernels.workers());
    return NetworkInput.of(
            arena, shard.features(), shard.rows(), dropout, new InputMemory(arena, plan.buffers()))
        .prepared();
  }

  @Override
  public double train(int epoch, double learningRate) {
    Traffic.Snapshot before = world.traffic().snapshot();
    PhaseClock clock = kernels.clock();
    try (var _ = clock.epoch(epoch + 1)) {
      LayerStack.Passes passes = stack.training(levels, input.training(epoch), memory, epoch);
      double mine = lossAndGradient(passes.forward(state, LayerRows.NONE), epoch);
      passes.examine(mine, state);
      passes.backward(state);
      clock.measure(Phase.REDUCE, "allreduce gradients", () -> column.sum(state.gradients()));
      statistics.update(state);
      try (var _ = clock.step("optimizer")) {
        optimizer.step(state, learningRate, kernels.workers());
      }
      double sum = clock.measured(Phase.REDUCE, "allreduce loss", () -> column.sum(mine)[0]);
      lastEpoch = world.traffic().snapshot().minus(before);
      return sum;
    }
  }

  private double lossAndGradient(DenseMatrix outputs, int epoch) {
    try (var _ = kernels.clock().step("loss")) {
      return loss.andGradient(outputs, epoch, state);
    }
  }

  @Override
  public Evaluation evaluate() {
    try (var _ = kernels.clock().step("evaluation")) {
      return loss.evaluate(outputs(), state);
    }
  }

  private DenseMatrix outputs() {
    return stack.evaluation(levels, input.evaluation(), memory).forward(state, LayerRows.NONE);
  }

  /// {@return predictions of every vertex of the rank (`rows x outputs`)} Borrowed: the next pass
  /// overwrites them.
  public DenseMatrix predictions() {
    DenseMatrix outputs = outputs();
    training.objective().predict(outputs, kernels.workers());
    return outputs;
  }

  /// {@return the plan of this rank's rows} Local.
  public NetworkPlan plan() {
    return plan;
  }

  /// {@return bytes that each rank sent in the last epoch}
  public List<Long> bytesByRank() {
    return everybody.byRank(world.rank(), world.size(), lastEpoch.totalBytes());
  }

  /// {@return messages that each rank sent in the last epoch}
  public List<Long> messagesByRank() {
    return everybody.byRank(world.rank(), world.size(), lastEpoch.totalMessages());
  }

  @Override
  public Traffic.Snapshot sent() {
    return lastEpoch;
  }

  @Override
  public DenseState state() {
    return state;
  }

  @Override
  public Optimizer optimizer() {
    return optimizer;
  }

  @Override
  public Team team() {
    return everybody;
  }

  @Override
  public @Nullable NumericFault fault() {
    return stack.fault();
  }

  @Override
  public Map<Phase, Double> takePhases() {
    return kernels.clock().take();
  }

  /// Frees the rank's memory and its parts of the grid.
  @Override
  public void close() {
    arena.close();
    grid.close();
  }
}
