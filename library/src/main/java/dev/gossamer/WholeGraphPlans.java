package dev.gossamer;

import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.gnn.fullgraph.GraphProducts;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.partition.Balance;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.planner.WholeGraphCost;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Placements of the vertices and plans of the whole graph, each made once and shared by
/// strategies.
final class WholeGraphPlans {
  private final TrainingJob job;
  private final Map<Where, Placed> placements = new HashMap<>();
  private final Map<Moved, RankPlan> plans = new HashMap<>();

  WholeGraphPlans(TrainingJob job) {
    this.job = job;
  }

  /// A placement in blocks.
  private record Where(String name, int blocks, double balance) {}

  /// What a plan depends on: with overlap and without, plans are the same.
  private record Moved(Where where, Kind kind, int replication) {}

  TrainingJob job() {
    return job;
  }

  /// Whether each rank is a process.
  boolean processes(RankLayout layout) {
    return job.ranks().launch().underLauncher() || layout.nodes() > 1;
  }

  /// Returns a placement in blocks.
  ///
  /// @param where see [Placed#of]; null for consecutive vertices
  /// @param balance of the training vertices
  Placed placed(@Nullable String where, int blocks, double balance) {
    return placed(new Where(where == null ? Placed.BLOCK : where, blocks, balance));
  }

  private Placed placed(Where where) {
    return placements.computeIfAbsent(where, w -> job.place(w.name(), w.blocks(), w.balance()));
  }

  /// Returns the placement of ranks that share a whole graph.
  ///
  /// @param size of the ranks
  Placed placed(RankSettings ranks, int size) {
    return placed(where(ranks, size));
  }

  private static Where where(RankSettings ranks, int size) {
    int blocks = ranks.strategy().blocks(size);
    String name = ranks.placement();
    return new Where(blocks == 1 || name == null ? Placed.BLOCK : name, blocks, Balance.FREE);
  }

  /// Returns what ranks exchange, with the usual products.
  ///
  /// @param size of the ranks
  RankPlan plan(RankSettings ranks, int size) {
    ExchangeStrategy strategy = ranks.strategy();
    Where where = where(ranks, size);
    RankPlan plan =
        plans.computeIfAbsent(
            new Moved(where, strategy.kind(), strategy.replication()),
            _ -> RankPlan.of(new PlacedGraph(job.data(), placed(where).placement()), strategy));
    return plan.with(GraphProducts.usual(strategy));
  }

  /// Frees all placements and their plans except those of the given strategies.
  ///
  /// @param size of the ranks
  void keepOnly(int size, RankSettings... ways) {
    Set<Where> kept = Arrays.stream(ways).map(way -> where(way, size)).collect(Collectors.toSet());
    placements.keySet().retainAll(kept);
    plans.keySet().removeIf(plan -> !kept.contains(plan.where()));
  }

  /// Returns the memory of a process of a training, including partitioning.
  ///
  /// @param ranks of the plan
  /// @param processes whether each is a process
  /// @param threads of each
  MemoryEstimate memory(
      RankPlan plan, NetworkSettings network, RankSettings ranks, boolean processes, int threads) {
    OptimizerRule rule = job.training().rule();
    Where where = where(ranks, plan.ranks());
    return Dividing.of(job, where.name(), where.blocks())
        .in(
            processes
                ? plan.memoryOfProcess(network, rule, threads)
                : plan.memoryOfThreads(network, rule, threads));
  }

  /// Returns the cost of a strategy.
  ///
  /// @param layout where its ranks are
  /// @param processes whether each is a process
  PlannedStrategy planned(RankLayout layout, boolean processes, RankSettings ranks) {
    NetworkSettings network = job.training().network();
    int threads = layout.threads();
    ToLongFunction<RankPlan> ofNode =
        each ->
            processes
                ? layout.ranksOfNode() * memory(each, network, ranks, true, threads).needed()
                : memory(each, network, ranks, false, threads).needed();
    RankPlan plan =
        plan(ranks, layout.ranks()).within(layout.cluster().memoryPerNode(), network, ofNode);
    MemoryEstimate ofRank = memory(plan, network, ranks, true, threads);
    return new PlannedStrategy(
        ranks,
        null,
        PlannedStrategy.Place.of(layout, processes),
        new PlannedStrategy.Memory(
            ofRank, ofNode.applyAsLong(plan), layout.cluster().memoryPerNode()),
        Optional.of(
            WholeGraphCost.ofRun(layout, plan, job.training())
                .lasting(job.pace().epochs(), job.pace().evaluations())));
  }

  /// Returns the cost of an epoch of a plan.
  EpochCost cost(RankLayout layout, RankPlan plan) {
    return WholeGraphCost.of(layout, plan, job.training());
  }
}
