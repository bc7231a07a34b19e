package dev.gossamer;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.FullGraphTrainer;
import dev.gossamer.gnn.fullgraph.NetworkPlan;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.nn.Kernels;
import dev.gossamer.partition.Balance;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.List;

/// One step per epoch over all vertices.
final class WholeGraphWay implements Way<FullGraphTrainer> {
  private final TrainingJob job;

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
    RankPlan plan =
        RankPlan.of(new PlacedGraph(job.data(), placed.placement()), job.ranks().strategy());
    MemoryEstimate memory = fitting(plan);
    NetworkSettings network = job.training().network();
    int fullest = plan.fullestRank(network);
    NetworkPlan layers = plan.network(fullest, network);
    return new Decided(
        new TrainingPlan.Shape(layers.network(), layers.buffers(), memory),
        new TrainingPlan.WholeGraph(
            plan, plan.exchangeBuffers(fullest, network), placed.partitioning()),
        placed.placement());
  }

  /// The memory of the job, which must be within its limit.
  private MemoryEstimate fitting(RankPlan plan) {
    NetworkSettings network = job.training().network();
    int widest = network.hidden().stream().mapToInt(Integer::intValue).max().orElse(1);
    MemoryEstimate memory = estimate(plan, network);
    memory.requireFits(
        job.limit(), "hidden", widest, width -> estimate(plan, network.withWidth(width)));
    return memory;
  }

  private MemoryEstimate estimate(RankPlan plan, NetworkSettings network) {
    return job.ranks().launch().underLauncher()
        ? plan.memoryOfProcess(network, job.training().rule(), job.threads())
        : plan.memoryOfThreads(network, job.training().rule(), job.threads());
  }

  /// What the job needs if ranks have blocks of consecutive vertices: other placements, which take
  /// longer to make, need about as much.
  MemoryEstimate estimate() {
    Placement blocks = Placement.block(job.data().vertices(), job.ranks().blocks());
    RankPlan plan = RankPlan.of(new PlacedGraph(job.data(), blocks), job.ranks().strategy());
    return estimate(plan, job.training().network());
  }

  @Override
  public FullGraphTrainer trainer(Communicator world, Placement placement, Kernels kernels) {
    return new FullGraphTrainer(
        world,
        new PlacedGraph(job.data(), placement),
        job.ranks().strategy(),
        job.training(),
        kernels);
  }

  @Override
  public TrainingFacts facts(FullGraphTrainer trainer, List<EpochRecord> records) {
    return new TrainingFacts.Sent(trainer.bytesByRank(), trainer.messagesByRank());
  }
}
