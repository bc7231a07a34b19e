package dev.gossamer;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.FullGraphTrainer;
import dev.gossamer.gnn.fullgraph.GraphProducts;
import dev.gossamer.gnn.fullgraph.NetworkPlan;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.MemoryEstimate.Remedy;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Trains with one step per epoch over all vertices.
final class WholeGraphWay implements Way<FullGraphTrainer> {
  private final TrainingJob job;
  private final @Nullable RankLayout layout;
  private final @Nullable ExchangeSpace open;
  private final Minibatches minibatches;
  private final WholeGraphPlans plans;

  /// The memory of minibatches, named if the whole graph does not fit.
  ///
  /// @param allowed whether the network can be trained on them, so that they change less than
  ///   another network
  record Minibatches(boolean allowed, Supplier<Stream<Remedy>> remedies) {}

  /// What is set, and once it is decided, what was chosen.
  private RankSettings ranks;

  private @Nullable GraphProducts products;

  /// @param layout where ranks are; null if nothing is known of the machines
  /// @param open what may be chosen; null for nothing
  /// @param minibatches that are named if the whole graph does not fit
  /// @throws dev.gossamer.base.InvalidInputException if settings are incompatible
  WholeGraphWay(
      TrainingJob job,
      @Nullable RankLayout layout,
      @Nullable ExchangeSpace open,
      Minibatches minibatches) {
    this.job = job;
    this.layout = layout;
    this.open = open;
    this.minibatches = minibatches;
    plans = new WholeGraphPlans(job);
    String where = job.ranks().placement();
    ranks = job.ranks().withPlacement(where == null ? RankSettings.USUAL_PLACEMENT : where);
    RankPlan.requireEdges(ranks.strategy(), job.training().network());
    Placed.requireKnown(String.valueOf(ranks.placement()));
  }

  @Override
  public Decided decide() {
    if (layout != null && open != null && job.ranks().size() > 1) {
      ExchangeChoice choice = ExchangeChoice.of(plans, layout, open);
      ranks = choice.chosen().ranks();
      job.listener().chosen(choice);
    }
    int size = job.ranks().size();
    Placed placed = plans.placed(ranks, size);
    RankPlan usual = plans.plan(ranks, size);
    NetworkSettings network = job.training().network();
    long limit = job.limit();
    RankPlan plan = fitting(usual, network, limit);
    products = plan.products();
    long needed = memory(usual, network).needed();
    MemoryEstimate memory = requireFits(plan, usual, limit);
    int fullest = plan.fullestRank(network);
    NetworkPlan layers = plan.network(fullest, network);
    return new Decided(
        new TrainingPlan.Shape(layers.network(), layers.buffers(), memory),
        new TrainingPlan.WholeGraph(
            plan,
            plan.exchangeBuffers(fullest, network),
            needed <= limit ? null : new TrainingPlan.Squeeze(needed, limit),
            placed.partitioning()),
        size == 1 ? job.ranks() : ranks,
        layout == null ? null : plans.cost(layout, plan),
        placed.placement());
  }

  @Override
  public int blocks(Communicator world) {
    if (job.ranks().launch().underLauncher()) {
      ranks = ranks.withStrategy(ExchangeStrategy.broadcast(world, ranks.strategy()));
    }
    return ranks.blocks();
  }

  /// The plan whose products cost least within the limit.
  private RankPlan fitting(RankPlan usual, NetworkSettings network, long limit) {
    return usual.within(limit, network, plan -> memory(plan, network).needed());
  }

  private MemoryEstimate memory(RankPlan plan, NetworkSettings network) {
    return plans.memory(plan, network, ranks, job.ranks().launch().underLauncher(), job.threads());
  }

  /// Returns the memory of the job within a limit, with all savings, for consecutive vertices on
  /// each rank: other placements take longer to make and need about as much.
  MemoryEstimate estimate(long limit) {
    NetworkSettings network = job.training().network();
    RankPlan inBlocks = plans.plan(ranks.withPlacement(Placed.BLOCK), job.ranks().size());
    return memory(fitting(inBlocks, network, limit), network);
  }

  /// The memory of the job, which must be within its limit.
  private MemoryEstimate requireFits(RankPlan plan, RankPlan usual, long limit) {
    NetworkSettings network = job.training().network();
    int widest = network.hidden().stream().mapToInt(Integer::intValue).max().orElse(1);
    MemoryEstimate memory = memory(plan, network);
    Supplier<Stream<Remedy>> narrower =
        () ->
            Remedy.lower(
                limit,
                "hidden",
                widest,
                width -> {
                  NetworkSettings narrow = network.withWidth(width);
                  return memory(fitting(usual, narrow, limit), narrow);
                })
                .stream();
    memory.requireFits(
        limit,
        "hidden",
        (minibatches.allowed()
                ? Stream.of(minibatches.remedies(), narrower)
                : Stream.of(narrower, minibatches.remedies()))
            .flatMap(Supplier::get));
    return memory;
  }

  @Override
  public FullGraphTrainer trainer(Communicator world, Placement placement, Kernels kernels) {
    return new FullGraphTrainer(
        world, new PlacedGraph(job.data(), placement), products(world), job.training(), kernels);
  }

  /// What the first process has decided; threads share it.
  private GraphProducts products(Communicator world) {
    return products == null || job.ranks().launch().underLauncher()
        ? GraphProducts.broadcast(world, ranks.strategy(), products)
        : products;
  }

  @Override
  public TrainingFacts facts(FullGraphTrainer trainer, List<EpochRecord> records) {
    return new TrainingFacts.Sent(trainer.bytesByRank(), trainer.messagesByRank());
  }
}
