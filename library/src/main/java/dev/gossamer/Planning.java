package dev.gossamer;

import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.gnn.fullgraph.GraphProducts;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.partition.Balance;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.planner.MinibatchCost;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.planner.WholeGraphCost;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// What a training would cost on a cluster, one way or another: memory, bytes, messages and
/// seconds, before anything is trained.
///
/// ```java
/// List<PlannedStrategy> strategies =
///     Planning.of(GraphTraining.on(dataset).gcn(64), cluster).strategies(PlanningSpace.DEFAULT);
/// ```
///
/// Bytes and messages are counted from the graph, its placement and drawn batches, memory is that
/// of the plans by which runs are refused, and seconds follow from the cluster's measured rates
/// ([WholeGraphCost], [MinibatchCost]). Vertices are placed, and batches drawn, here and now.
public final class Planning {
  private final GraphTraining training;
  private final Cluster cluster;

  private Planning(GraphTraining training, Cluster cluster) {
    this.training = training;
    this.cluster = cluster;
  }

  /// Begins.
  ///
  /// @param training data, network and how it learns
  /// @param cluster where it would train
  /// @return plans of it
  public static Planning of(GraphTraining training, Cluster cluster) {
    return new Planning(training, cluster);
  }

  /// Begins with a training on this machine.
  ///
  /// @param training says how many threads and how much memory its process may take, too
  /// @param machine with the rates and the links of this machine
  /// @return plans of it
  public static Planning here(GraphTraining training, Cluster machine) {
    GraphTraining.Surroundings all = training.surroundings();
    Cluster node =
        machine.node(
            all.ranks().size(), all.machine().threads(1), Math.max(1, all.machine().limit(1)));
    return new Planning(training, node);
  }

  /// The training as it is set.
  ///
  /// @return what it would do
  /// @throws dev.gossamer.matrix.io.InvalidInputException if data and settings do not go together
  public PlannedStrategy asSet() {
    try (Arena arena = Arena.ofShared()) {
      TrainingRun run = new TrainingRun(arena, training);
      TrainingJob job = run.job();
      RankSettings ranks = job.ranks();
      RankLayout layout = RankLayout.of(cluster, ranks.launch());
      boolean processes = ranks.launch().underLauncher() || layout.nodes() > 1;
      Placements placements = new Placements(job);
      MinibatchSettings asked = run.minibatches();
      String where = ranks.placement() == null ? RankSettings.USUAL_PLACEMENT : ranks.placement();
      if (asked == null) {
        RankPlan.requireEdges(ranks.strategy(), job.training().network());
        Placed.requireKnown(where);
        return whole(job.training(), layout, processes, placements, ranks.withPlacement(where));
      }
      MinibatchWay.requireTogether(job.training().network(), asked, ranks);
      boolean own = asked.ownBatches() && ranks.blocks() > 1;
      return sampled(
          new Batches(job.training(), asked),
          layout,
          processes,
          placements,
          ranks.withPlacement(own ? where : Placed.BLOCK));
    }
  }

  /// {@return why the network cannot be trained on some minibatches; empty if it can}
  ///
  /// @param minibatches how they are made
  public Optional<InvalidSettingException> refusal(MinibatchSettings minibatches) {
    try {
      NetworkSettings network =
          training
              .architecture()
              .network(
                  training.dataset().data().features(), minibatches, training.learning().decayed());
      MinibatchWay.requireTogether(network, minibatches, RankSettings.DEFAULT);
      return Optional.empty();
    } catch (InvalidSettingException e) {
      return Optional.of(e);
    }
  }

  /// Plans every strategy.
  ///
  /// @param space which they are
  /// @return those that fit first, the fastest first; of equals, that which takes less memory, and
  ///   then fewer ranks
  /// @throws dev.gossamer.matrix.io.InvalidInputException if data and settings do not go together
  public List<PlannedStrategy> strategies(PlanningSpace space) {
    List<PlannedStrategy> strategies = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      TrainingJob job = new TrainingRun(arena, training.wholeGraph()).job();
      Placements placements = new Placements(job);
      for (int p : space.ranks(Math.multiplyExact(cluster.nodes(), cluster.ranksPerNode()))) {
        RankLayout layout = new RankLayout(cluster, p);
        if (space.wholeGraph()) {
          addWhole(space, job.training(), layout, placements, strategies);
        }
        for (MinibatchSettings asked : space.minibatches()) {
          addSampled(space, job, asked, layout, placements, strategies);
        }
      }
    }
    strategies.sort(
        Comparator.comparing((PlannedStrategy each) -> !each.fits())
            .thenComparingDouble(PlannedStrategy::seconds)
            .thenComparingLong(each -> each.memory().ofNode())
            .thenComparingInt(each -> each.place().ranks()));
    return strategies;
  }

  private void addWhole(
      PlanningSpace space,
      NetworkTraining network,
      RankLayout layout,
      Placements placements,
      List<PlannedStrategy> strategies) {
    boolean processes = layout.nodes() > 1;
    if (layout.ranks() == 1) {
      ExchangeStrategy alone = RankSettings.DEFAULT.strategy();
      strategies.add(whole(network, layout, false, placements, settings(1, alone, Placed.BLOCK)));
      return;
    }
    boolean edges = network.network().seesEdges();
    RowFormat wire = job(training).strategy().wire();
    for (int c : edges ? List.of(1) : PlanningSpace.REPLICATIONS) {
      for (Kind kind : edges ? List.of(Kind.SPARSITY_AWARE) : PlanningSpace.EXCHANGES) {
        for (boolean overlap : edges ? new boolean[] {true} : new boolean[] {true, false}) {
          ExchangeStrategy strategy = new ExchangeStrategy(kind, c, overlap, wire);
          if (!strategy.validFor(layout.ranks())) {
            continue;
          }
          for (String where : space.placements()) {
            RankSettings ranks = settings(layout.ranks(), strategy, where);
            strategies.add(whole(network, layout, processes, placements, ranks));
          }
        }
      }
    }
  }

  private static RankSettings job(GraphTraining training) {
    return training.surroundings().ranks();
  }

  private RankSettings settings(int ranks, ExchangeStrategy strategy, String placement) {
    RankSettings given = job(training);
    return new RankSettings(ranks, strategy, placement, given.threads(), given.mpi());
  }

  private PlannedStrategy whole(
      NetworkTraining network,
      RankLayout layout,
      boolean processes,
      Placements placements,
      RankSettings ranks) {
    NetworkSettings settings = network.network();
    OptimizerRule rule = network.rule();
    ToLongFunction<RankPlan> ofNode =
        each ->
            processes
                ? layout.ranksOfNode()
                    * each.memoryOfProcess(settings, rule, layout.threads()).needed()
                : each.memoryOfThreads(settings, rule, layout.threads()).needed();
    RankPlan plan =
        placements
            .plan(ranks.blocks() == 1 ? Placed.BLOCK : ranks.placement(), ranks.strategy(), layout)
            .within(layout.cluster().memoryPerNode(), settings, ofNode);
    MemoryEstimate ofRank = plan.memoryOfProcess(settings, rule, layout.threads());
    return new PlannedStrategy(
        ranks,
        null,
        place(layout, processes),
        new PlannedStrategy.Memory(
            ofRank, ofNode.applyAsLong(plan), layout.cluster().memoryPerNode()),
        Optional.of(WholeGraphCost.of(layout, plan, network)));
  }

  private static PlannedStrategy.Place place(RankLayout layout, boolean processes) {
    return new PlannedStrategy.Place(
        layout.ranks(), layout.nodes(), layout.ranksOfNode(), layout.threads(), processes);
  }

  /// A network and the minibatches that it is trained on.
  private record Batches(NetworkTraining network, MinibatchSettings settings) {}

  private void addSampled(
      PlanningSpace space,
      TrainingJob job,
      MinibatchSettings asked,
      RankLayout layout,
      Placements placements,
      List<PlannedStrategy> strategies) {
    NetworkTraining network =
        new NetworkTraining(
            training
                .architecture()
                .network(job.data().features(), asked, training.learning().decayed()),
            job.training().rule(),
            job.training().seed());
    RankSettings given = settings(layout.ranks(), RankSettings.DEFAULT.strategy(), Placed.BLOCK);
    MinibatchWay.requireTogether(network.network(), asked.withReplication(1), given);
    MinibatchWay.requireNoWeights(job.data(), network.network(), asked);
    boolean processes = layout.nodes() > 1;
    for (Variant variant : variants(space, job, asked, layout.ranks())) {
      strategies.add(
          sampled(
              new Batches(network, variant.settings()),
              layout,
              processes,
              placements,
              given.withPlacement(variant.placement())));
    }
  }

  /// @param placement of the vertices
  private record Variant(MinibatchSettings settings, String placement) {}

  private static List<Variant> variants(
      PlanningSpace space, TrainingJob job, MinibatchSettings asked, int ranks) {
    if (ranks == 1) {
      return List.of(new Variant(asked, Placed.BLOCK));
    }
    List<Variant> variants = new ArrayList<>();
    String partitioner =
        space.placements().stream()
            .filter(name -> Partitioner.names().contains(name))
            .reduce((_, last) -> last)
            .orElse(Placed.BLOCK);
    long cache = cacheBytes(job.data().features());
    for (GraphPlace graph : GraphPlace.values()) {
      for (long bytes : cache == 0 ? new long[] {0} : new long[] {0, cache}) {
        MinibatchSettings fetched = asked.withGraph(graph).withCacheBytes(bytes);
        variants.add(new Variant(fetched, Placed.BLOCK));
        if (!asked.sampler().drawsSubgraphs()) {
          variants.add(new Variant(fetched.withOwnBatches(null), partitioner));
        }
      }
    }
    if (asked.testFanouts().isEmpty() && asked.overlaps()) {
      variants.add(
          new Variant(
              asked.withCacheBytes(0).withOwnBatches(HistoricalSettings.DEFAULT), partitioner));
    }
    return variants;
  }

  /// A tenth of the features, in whole mebibytes; none if they are less.
  private static long cacheBytes(Features x) {
    long bytes =
        switch (x) {
          case Features.Dense dense -> dense.x().data().byteSize();
          case Features.Sparse sparse -> 2 * sparse.x().nnz() * Float.BYTES;
          case Features.None none -> 0;
        };
    return (bytes / 10) >> 20 << 20;
  }

  private PlannedStrategy sampled(
      Batches batches,
      RankLayout layout,
      boolean processes,
      Placements placements,
      RankSettings ranks) {
    int p = layout.ranks();
    int here = processes ? 1 : p;
    long limit = layout.cluster().memoryPerNode();
    MinibatchPlan plan = MinibatchPlan.of(placements.job.data(), batches.network(), p);
    MinibatchSettings asked = batches.settings();
    long ofProcess = processes ? limit / layout.ranksOfNode() : limit;
    MinibatchSettings settings =
        MinibatchWay.withBulk(plan, asked, layout.threads(), here, ofProcess);
    MemoryEstimate ofRank = plan.memory(settings, layout.threads(), 1);
    long ofNode =
        processes
            ? layout.ranksOfNode() * ofRank.needed()
            : plan.memory(settings, layout.threads(), p).needed();
    PlannedStrategy.Memory memory = new PlannedStrategy.Memory(ofRank, ofNode, limit);
    Optional<EpochCost> cost = Optional.empty();
    if (memory.fits()) {
      Placed placed = placements.of(ranks.placement(), ranks.blocks(), Balance.DEFAULT.training());
      cost =
          Optional.of(
              MinibatchCost.of(
                  layout, plan, settings, placed.placement(), placements.job.machine().threads(1)));
    }
    return new PlannedStrategy(
        ranks,
        asked.hasAutomaticBulk() ? settings.withAutomaticBulk() : settings,
        place(layout, processes),
        memory,
        cost);
  }

  /// Placements and plans that strategies share.
  private static final class Placements {
    private final TrainingJob job;
    private final Map<String, Placed> made = new HashMap<>();
    private final Map<String, RankPlan> plans = new HashMap<>();

    Placements(TrainingJob job) {
      this.job = job;
    }

    Placed of(@Nullable String where, int blocks, double balance) {
      String name = where == null ? Placed.BLOCK : where;
      return made.computeIfAbsent(
          "%s %d %s".formatted(name, blocks, balance), _ -> job.place(name, blocks, balance));
    }

    /// The plan of a strategy; with overlap and without they differ in that alone.
    RankPlan plan(@Nullable String where, ExchangeStrategy strategy, RankLayout layout) {
      int blocks = strategy.blocks(layout.ranks());
      Placed placed = of(where, blocks, Balance.FREE);
      String key =
          "%s %d %s %d".formatted(where, layout.ranks(), strategy.kind(), strategy.replication());
      RankPlan plan =
          plans.computeIfAbsent(
              key, _ -> RankPlan.of(new PlacedGraph(job.data(), placed.placement()), strategy));
      return new RankPlan(
          plan.graph(),
          GraphProducts.usual(strategy),
          plan.forward(),
          plan.backward(),
          plan.obliviousRows(),
          plan.balance());
    }
  }
}
