package dev.gossamer.gnn.fullgraph;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Traffic;
import dev.gossamer.exchange.DistributedEdges;
import dev.gossamer.exchange.DistributedSpmm;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.PropagationRows;
import dev.gossamer.nn.Aggregation;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.GraphView;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.PassSize;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;

/// One rank of a distributed full-graph training (SA, section 4; MG, section 4): its block of the
/// graph, its shard of features and labels, and its trainer. Making one, and every call, is
/// collective.
public final class RankTraining implements EpochTrainer, AutoCloseable {
  private final Communicator world;
  private final ProcessGrid grid;
  private final FullGraphTrainer trainer;
  private final NetworkPlan plan;
  private final Team everybody;
  private Traffic.Snapshot lastEpoch;

  /// @param dataset a mapped file that every rank reads; only the rank's rows are copied, and of
  ///   the normalised graph no other is made
  /// @param placement into as many blocks as the strategy has for these ranks
  public RankTraining(
      Communicator world,
      GraphData dataset,
      Placement placement,
      ExchangeStrategy strategy,
      NetworkSettings settings,
      OptimizerRule rule,
      long seed,
      Kernels kernels) {
    this.world = world;
    grid = new ProcessGrid(world, strategy.replication());
    Arena arena = Arena.ofShared();
    int block = grid.row();
    long own = placement.distribution().count(block);
    NetworkPlan rows = plan(dataset, new PassSize(own, own, 0), settings);
    int widest = rows.widestAggregated(dataset.features().width());
    GraphView graph = view(dataset, placement, strategy, settings, widest, kernels, arena);
    plan = graph instanceof DistributedEdges e ? plan(dataset, e.size(), settings) : rows;
    Team column = Team.of(grid.processColumn(), arena);
    everybody = Team.of(world, arena);
    Shard shard = Shard.of(arena, dataset, placement, block, graph, column, kernels.workers());
    trainer = new FullGraphTrainer(arena, shard, settings, plan, rule, seed, kernels);
    lastEpoch = world.traffic().snapshot().minus(world.traffic().snapshot());
  }

  private static NetworkPlan plan(GraphData dataset, PassSize size, NetworkSettings settings) {
    return NetworkPlan.of(dataset.features(), size, dataset.classes(), settings);
  }

  private GraphView view(
      GraphData dataset,
      Placement placement,
      ExchangeStrategy strategy,
      NetworkSettings settings,
      int widest,
      Kernels kernels,
      Arena arena) {
    if (!settings.seesGraph()) {
      return Aggregation.IDENTITY;
    }
    try (Arena temporary = Arena.ofShared()) {
      PropagationRows rows =
          placement.blockRows(temporary, settings.propagation(dataset), grid.row());
      if (settings.seesEdges()) {
        requireEdges(strategy);
        return new DistributedEdges(
            grid.processColumn(),
            placement,
            rows.forward(),
            strategy.wire(),
            widest,
            kernels,
            arena);
      }
      return new DistributedSpmm(
          grid, placement.distribution(), rows, strategy, widest, kernels, arena);
    }
  }

  private static void requireEdges(ExchangeStrategy strategy) {
    if (strategy.kind() != Kind.SPARSITY_AWARE || strategy.replication() != 1) {
      throw new IllegalArgumentException(
          "attention needs all rows of a target's sources at once; expected the sparsity-aware"
              + " exchange without replication, found "
              + strategy);
    }
  }

  /// The plan of this rank's rows.
  public NetworkPlan plan() {
    return plan;
  }

  @Override
  public double train(int epoch, double learningRate) {
    Traffic.Snapshot before = world.traffic().snapshot();
    double loss = trainer.train(epoch, learningRate);
    lastEpoch = world.traffic().snapshot().minus(before);
    return loss;
  }

  @Override
  public Traffic.Snapshot sent() {
    return lastEpoch;
  }

  /// What each rank sent in the last epoch, in bytes. Collective.
  public List<Long> bytesByRank() {
    return byRank(lastEpoch.totalBytes());
  }

  /// How many messages each rank sent in the last epoch. Collective.
  public List<Long> messagesByRank() {
    return byRank(lastEpoch.totalMessages());
  }

  private List<Long> byRank(long mine) {
    return everybody.byRank(world.rank(), world.size(), mine);
  }

  @Override
  public Evaluation evaluate() {
    return trainer.evaluate();
  }

  @Override
  public DenseState state() {
    return trainer.state();
  }

  @Override
  public Optimizer optimizer() {
    return trainer.optimizer();
  }

  @Override
  public boolean anyRank(boolean value) {
    return everybody.max(value ? 1 : 0)[0] > 0;
  }

  @Override
  public Map<Phase, Double> takePhases() {
    return trainer.takePhases(everybody);
  }

  /// Frees the rank's memory and its parts of the grid.
  @Override
  public void close() {
    trainer.close();
    grid.close();
  }
}
