package dev.gossamer;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.FullGraphTrainer;
import dev.gossamer.gnn.fullgraph.GraphProducts;
import dev.gossamer.gnn.fullgraph.NetworkPlan;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.nn.Kernels;
import dev.gossamer.partition.Balance;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One step per epoch over all vertices.
final class WholeGraphWay implements Way<FullGraphTrainer> {
  private final TrainingJob job;
  private @Nullable RankPlan inBlocks;
  private @Nullable GraphProducts products;

  /// @throws dev.gossamer.matrix.io.InvalidInputException if settings do not go together
  WholeGraphWay(TrainingJob job) {
    this.job = job;
    RankPlan.requireEdges(job.ranks().strategy(), job.training().network());
    Placed.requireKnown(placement());
  }

  private String placement() {
    String where = job.ranks().placement();
    return where == null ? RankSettings.USUAL_PLACEMENT : where;
  }

  @Override
  public Decided decide() {
    Placed placed = job.place(job.ranks().blocks() == 1 ? Placed.BLOCK : placement(), Balance.FREE);
    RankPlan usual = job.ranks().blocks() == 1 ? inBlocks() : plan(placed.placement());
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
        placed.placement());
  }

  /// The plan whose products cost least within the limit.
  private RankPlan fitting(RankPlan usual, NetworkSettings network, long limit) {
    return usual.within(limit, network, plan -> memory(plan, network).needed());
  }

  private MemoryEstimate memory(RankPlan plan, NetworkSettings network) {
    return job.ranks().launch().underLauncher()
        ? plan.memoryOfProcess(network, job.training().rule(), job.threads())
        : plan.memoryOfThreads(network, job.training().rule(), job.threads());
  }

  /// What the job needs within a limit, with whatever saves memory, if ranks have blocks of
  /// consecutive vertices: other placements, which take longer to make, need about as much.
  MemoryEstimate estimate(long limit) {
    NetworkSettings network = job.training().network();
    return memory(fitting(inBlocks(), network, limit), network);
  }

  /// The plan of blocks of consecutive vertices: of one block, the plan of the run. Made once.
  private RankPlan inBlocks() {
    RankPlan made = inBlocks;
    if (made == null) {
      made = plan(Placement.block(job.data().vertices(), job.ranks().blocks()));
      inBlocks = made;
    }
    return made;
  }

  private RankPlan plan(Placement placement) {
    return RankPlan.of(new PlacedGraph(job.data(), placement), job.ranks().strategy());
  }

  /// The memory of the job, which must be within its limit.
  private MemoryEstimate requireFits(RankPlan plan, RankPlan usual, long limit) {
    NetworkSettings network = job.training().network();
    int widest = network.hidden().stream().mapToInt(Integer::intValue).max().orElse(1);
    MemoryEstimate memory = memory(plan, network);
    memory.requireFits(
        limit,
        "hidden",
        widest,
        width -> {
          NetworkSettings narrower = network.withWidth(width);
          return memory(fitting(usual, narrower, limit), narrower);
        });
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
        ? GraphProducts.broadcast(world, job.ranks().strategy(), products)
        : products;
  }

  @Override
  public TrainingFacts facts(FullGraphTrainer trainer, List<EpochRecord> records) {
    return new TrainingFacts.Sent(trainer.bytesByRank(), trainer.messagesByRank());
  }
}
