package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.partition.Balance;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.MinibatchCost;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.planner.RunCost;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Computes what a training would cost on a cluster with different strategies: memory, bytes,
/// messages and seconds, before anything is trained.
///
/// ```java
/// List<PlannedStrategy> strategies =
///     Planning.of(GraphTraining.on(dataset).gcn(64), cluster).strategies(PlanningSpace.DEFAULT);
/// ```
///
/// Bytes and messages are counted from the graph, its placement and drawn batches. Memory is the
/// estimate by which runs are refused. Seconds follow from the cluster's measured rates
/// ([dev.gossamer.planner.WholeGraphCost], [MinibatchCost]). Planning places vertices and draws
/// batches on this machine.
public final class Planning {
  /// Relative difference of run times below which strategies count as equally fast: plans are not
  /// more accurate.
  public static final double TIE = 0.1;

  /// One rank before many, exact exchange before historical embeddings, the whole graph before
  /// minibatches, few ranks before more, the usual exchange before others; of equals the faster.
  private static final Comparator<PlannedStrategy> SIMPLICITY =
      Comparator.comparing((PlannedStrategy each) -> each.place().ranks() > 1)
          .thenComparing(each -> each.learning() == PlannedStrategy.Learning.STALE)
          .thenComparing(each -> each.minibatches() != null)
          .thenComparingInt(each -> each.place().ranks())
          .thenComparing(Planning::exchange, ExchangeSpace.USUAL_FIRST)
          .thenComparingDouble(PlannedStrategy::runSeconds);

  private final GraphTraining training;
  private final Cluster cluster;

  private Planning(GraphTraining training, Cluster cluster) {
    this.training = training;
    this.cluster = cluster;
  }

  /// Plans a training on a cluster.
  ///
  /// @param training data, network and settings of learning
  /// @param cluster where it would train
  /// @return its plans
  public static Planning of(GraphTraining training, Cluster cluster) {
    return new Planning(training, cluster);
  }

  /// Plans a training on this machine.
  ///
  /// @param training also sets the threads and the memory of its process
  /// @param machine with the rates and the links of this machine
  /// @return its plans
  public static Planning here(GraphTraining training, Cluster machine) {
    TrainingSettings all = training.settings();
    return new Planning(training, all.machine().node(machine, all.ranks().launch()));
  }

  /// Plans the training with its own settings.
  ///
  /// @return its strategy and cost
  /// @throws dev.gossamer.base.InvalidInputException if the settings do not suit the data
  public PlannedStrategy asSet() {
    try (Arena arena = Arena.ofShared()) {
      TrainingRun run = new TrainingRun(arena, training);
      TrainingJob job = run.job();
      RankSettings ranks = job.ranks();
      RankLayout layout = RankLayout.of(cluster, ranks.launch());
      boolean processes = ranks.launch().underLauncher() || layout.nodes() > 1;
      WholeGraphPlans plans = new WholeGraphPlans(job);
      MinibatchSettings asked = run.minibatches();
      if (asked == null) {
        String where = ranks.placement() == null ? RankSettings.USUAL_PLACEMENT : ranks.placement();
        RankPlan.requireEdges(ranks.strategy(), job.training().network());
        Placed.requireKnown(where);
        return whole(plans, layout, ranks.withPlacement(where));
      }
      MinibatchWay.requireTogether(job.training().network(), asked, ranks);
      MinibatchWay.requireSuits(job.data(), job.training().network(), asked);
      return sampled(
          new Batches(job.training(), asked),
          layout,
          processes,
          plans,
          ranks.withPlacement(MinibatchWay.placement(ranks, asked)));
    }
  }

  private PlannedStrategy whole(WholeGraphPlans plans, RankLayout layout, RankSettings ranks) {
    GraphTraining.Outlook outlook = training.surroundings().outlook();
    if (outlook == null || outlook.open() == null || layout.ranks() == 1) {
      return plans.planned(layout, plans.processes(layout), ranks);
    }
    ExchangeChoice choice = ExchangeChoice.of(plans, layout, outlook.open());
    plans.job().listener().chosen(choice);
    return choice.chosen();
  }

  /// {@return why the network cannot be trained on some minibatches; empty if it can}
  ///
  /// @param minibatches how they are made
  public Optional<InvalidSettingException> refusal(MinibatchSettings minibatches) {
    try {
      MinibatchWay.requireOfEdges(training.dataset().data(), minibatches);
      NetworkSettings network = network(training.dataset().data(), minibatches);
      MinibatchWay.requireTogether(network, minibatches, RankSettings.DEFAULT);
      return Optional.empty();
    } catch (InvalidSettingException e) {
      return Optional.of(e);
    }
  }

  private NetworkSettings network(GraphData data, MinibatchSettings minibatches) {
    TrainingSettings settings = training.settings();
    return settings.architecture().network(data, minibatches, settings.learning().decayed());
  }

  /// Plans every strategy.
  ///
  /// @param space which they are
  /// @return those that fit first, those of the fastest runs first; of equals, that which takes
  ///   less memory, and then fewer ranks
  /// @throws dev.gossamer.base.InvalidInputException if data and settings do not go together
  public List<PlannedStrategy> strategies(PlanningSpace space) {
    List<PlannedStrategy> strategies = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      TrainingJob job = new TrainingRun(arena, training.wholeGraph()).job();
      WholeGraphPlans plans = new WholeGraphPlans(job);
      // A rank without a vertex would have nothing to do.
      int slots = Math.min(cluster.nodes() * cluster.ranksPerNode(), job.data().vertices());
      for (int p : space.ranks(slots)) {
        RankLayout layout = new RankLayout(cluster, p);
        if (space.wholeGraph()) {
          addWhole(space, layout, plans, strategies);
        }
        for (MinibatchSettings asked : space.minibatches()) {
          addSampled(space, asked, layout, plans, strategies);
        }
      }
    }
    strategies.sort(
        Comparator.comparing((PlannedStrategy each) -> !each.fits())
            .thenComparingDouble(PlannedStrategy::runSeconds)
            .thenComparingLong(each -> each.memory().ofNode())
            .thenComparingInt(each -> each.place().ranks()));
    return strategies;
  }

  /// {@return which strategy to take: of the fastest, and those that take at most a tenth more
  /// ([#TIE]), the simplest}
  ///
  /// @param strategies at least one, in any order
  public static PlannedStrategy recommended(List<PlannedStrategy> strategies) {
    double fastest =
        strategies.stream().mapToDouble(PlannedStrategy::runSeconds).min().orElseThrow();
    return strategies.stream()
        .filter(each -> each.runSeconds() <= (1 + TIE) * fastest)
        .min(SIMPLICITY)
        .orElseThrow();
  }

  /// Minibatches are placed and exchanged as they are made: among them, the usual is no simpler.
  private static RankSettings exchange(PlannedStrategy strategy) {
    return strategy.minibatches() == null ? strategy.ranks() : RankSettings.DEFAULT;
  }

  private void addWhole(
      PlanningSpace space,
      RankLayout layout,
      WholeGraphPlans plans,
      List<PlannedStrategy> strategies) {
    boolean processes = layout.nodes() > 1;
    if (layout.ranks() == 1) {
      ExchangeStrategy alone = RankSettings.DEFAULT.strategy();
      strategies.add(plans.planned(layout, false, settings(1, alone, Placed.BLOCK)));
      return;
    }
    boolean edges = plans.job().training().network().seesEdges();
    ExchangeSpace open = space.exchanges().of(layout.ranks(), edges);
    for (RankSettings way : open.ways(layout.ranks(), job(training))) {
      strategies.add(plans.planned(layout, processes, way));
    }
  }

  private static RankSettings job(GraphTraining training) {
    return training.settings().ranks();
  }

  private RankSettings settings(int ranks, ExchangeStrategy strategy, String placement) {
    RankSettings given = job(training);
    return new RankSettings(given.ranks().withCount(ranks), strategy, placement);
  }

  /// A network and the minibatches that it is trained on.
  private record Batches(NetworkTraining network, MinibatchSettings settings) {}

  private void addSampled(
      PlanningSpace space,
      MinibatchSettings asked,
      RankLayout layout,
      WholeGraphPlans plans,
      List<PlannedStrategy> strategies) {
    TrainingJob job = plans.job();
    NetworkTraining network =
        new NetworkTraining(
            network(job.data(), asked), job.training().rule(), job.training().seed());
    RankSettings given = settings(layout.ranks(), RankSettings.DEFAULT.strategy(), Placed.BLOCK);
    MinibatchWay.requireTogether(network.network(), asked.withReplication(1), given);
    MinibatchWay.requireSuits(job.data(), network.network(), asked);
    boolean processes = layout.nodes() > 1;
    for (Variant variant : variants(space, job, asked, layout.ranks())) {
      // Not every network trains on batches of a rank's own vertices.
      if (refusal(variant.settings().withReplication(1)).isEmpty()) {
        strategies.add(
            sampled(
                new Batches(network, variant.settings()),
                layout,
                processes,
                plans,
                given.withPlacement(variant.placement())));
      }
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
        space.exchanges().placements().stream()
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
      WholeGraphPlans plans,
      RankSettings ranks) {
    int p = layout.ranks();
    int here = processes ? 1 : p;
    long limit = layout.cluster().memoryPerNode();
    TrainingJob job = plans.job();
    Placed placed = plans.placed(ranks.placement(), ranks.blocks(), Balance.DEFAULT.training());
    MinibatchPlan plan =
        MinibatchPlan.of(job.data(), batches.network(), p).placed(placed.placement());
    MinibatchSettings asked = batches.settings();
    long ofProcess = processes ? limit / layout.ranksOfNode() : limit;
    Dividing dividing = Dividing.of(job, ranks.placement(), ranks.blocks());
    MinibatchSettings settings =
        MinibatchWay.withBulk(plan, asked, layout.threads(), here, ofProcess - dividing.left());
    MemoryEstimate ofRank = dividing.in(plan.memory(settings, layout.threads(), 1));
    long ofNode =
        processes
            ? layout.ranksOfNode() * ofRank.needed()
            : dividing.in(plan.memory(settings, layout.threads(), p)).needed();
    PlannedStrategy.Memory memory = new PlannedStrategy.Memory(ofRank, ofNode, limit);
    Optional<RunCost> cost = Optional.empty();
    if (memory.fits()) {
      cost =
          Optional.of(
              MinibatchCost.ofRun(
                      layout, plan, settings, placed.placement(), job.machine().threads(1))
                  .lasting(job.pace().epochs(), job.pace().evaluations()));
    }
    return new PlannedStrategy(
        ranks,
        asked.hasAutomaticBulk() ? settings.withAutomaticBulk() : settings,
        PlannedStrategy.Place.of(layout, processes),
        memory,
        cost);
  }
}
