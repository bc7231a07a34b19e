package dev.gossamer.gnn.minibatch;

import dev.gossamer.base.Resources;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Traffic;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.block.BatchDeal;
import dev.gossamer.gnn.block.BlockStack;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.feature.FeatureFetch;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.historical.EmbeddingDrift;
import dev.gossamer.gnn.historical.HaloPartition;
import dev.gossamer.gnn.historical.HaloReads;
import dev.gossamer.gnn.historical.HistoricalEmbeddings;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.LifeCost;
import dev.gossamer.gnn.historical.LifeVerdict;
import dev.gossamer.gnn.inference.Inference;
import dev.gossamer.gnn.inference.LayerwiseInference;
import dev.gossamer.gnn.inference.SampledInference;
import dev.gossamer.gnn.sampling.BatchItems;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.clock.PhaseClock;
import dev.gossamer.nn.layers.Glorot;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.RunningStatistics;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.CacheUse;
import dev.gossamer.run.CarriedState;
import dev.gossamer.run.CheckpointFolder;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.NumericFault;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Trains a network on sampled minibatches (MBS, section 6): for each batch sample, fetch features,
/// propagate; for each step add up the gradients of its batches over all ranks.
///
/// Unless ranks have batches of their own vertices, the vertices of a step do not depend on the
/// number of ranks ([BatchDeal]), and the samples of a batch do not depend on the rank that draws
/// them. The loss of a step is the mean over the training vertices of its batches. A subgraph
/// estimates the mean over all training vertices: a step has one subgraph, which its batches
/// divide; if ranks have their own batches, the loss is the mean over one subgraph per batch.
/// Batches of edges have the vertices at the ends of their pairs, and the loss of a step is the
/// mean over the pairs of its edges ([dev.gossamer.gnn.link.BatchLinks]). Dropout is drawn by
/// epoch, batch (or step of a subgraph) and vertex. Therefore any number of ranks takes the same
/// steps, up to the rounding of sums over ranks, with the same batches per step, and with subgraphs
/// always.
public final class MinibatchTrainer implements EpochTrainer {
  private final Resources resources = new Resources();
  private final RankShare share;
  private final MinibatchSettings settings;
  private final long seed;
  private final Kernels kernels;
  private final Communicator world;

  private final BatchItems items;
  private final BatchDeal deal;
  private final DenseState state;
  private final Optimizer optimizer;
  private final RunningStatistics statistics;
  private final DenseMatrix stepGradients;
  private final BlockStack blocks;
  private final Workers samplingWorkers;
  private final @Nullable ExecutorService samplingThread;
  private final BulkSampler sampler;
  private final List<Integer> widths;
  private final FeatureFetch fetch;
  private HistoricalBatches.@Nullable Means historical;

  /// Not null as long as batches fetch, and wait for embeddings to move slowly.
  private @Nullable DriftProbe probe;

  /// What the lives that embeddings may have would cost; empty before that is first asked.
  private List<LifeCost> lifeCosts = List.of();

  /// Why no embeddings were kept after the first epoch that has fetched.
  private @Nullable String warning;

  private boolean warned;
  private int fetchedTurns;
  private final Inference inference;
  private final BatchLoss batchLoss;

  private final LongAdder sampleNanos = new LongAdder();
  private long trainedBatches;
  private long sampledEdges;
  private long graphBytes;
  private long evaluations;
  private long evaluateNanos;
  private Traffic.Snapshot lastEpoch;
  private CacheUse lastUse = CacheUse.NONE;

  /// Before the epoch, or of the caches that were allocated in it.
  private CacheUse embeddingsBefore = CacheUse.NONE;

  /// Allocates memory that does not depend on the batches and initialises the weights. Collective.
  ///
  /// @param world all ranks, often one; borrowed
  /// @param placement of the vertices in a block for each process row
  /// @param plan made for these ranks; its data set must outlive the trainer
  /// @param settings sampler and sizes
  /// @param kernels threads and clock of this rank
  public MinibatchTrainer(
      Communicator world,
      Placement placement,
      MinibatchPlan plan,
      MinibatchSettings settings,
      Kernels kernels) {
    this.world = world;
    this.kernels = kernels;
    NetworkTraining network = plan.training();
    seed = network.seed();
    try {
      Arena arena = resources.add(Arena.ofShared());
      share =
          new RankShare(
              arena,
              world,
              new PlacedGraph(plan.dataset(), placement),
              network.network(),
              settings.division(),
              new RankShare.Cache(settings.cacheBytes(), each -> accesses(each, settings)),
              kernels);
      resources.add(share::free);
      int[] training = settings.ownBatches() ? share.ownTraining() : share.training();
      items = BatchItems.of(network.objective(), training, placement, seed);
      // Drawing may be collective, so all ranks draw as many batches at a time as the one with the
      // least memory can.
      this.settings = settings.withBulk((int) -share.everybody().max(-settings.bulk())[0]);
      state = new DenseState(arena, plan.network().layout());
      optimizer = new Optimizer(arena, network.rule(), plan.network().layout());
      statistics = new RunningStatistics(plan.network().layout());
      Glorot.initialise(state, seed);
      stepGradients = DenseMatrix.allocate(arena, plan.network().layout().count(), 1);
      blocks =
          resources.add(
              new BlockStack(
                  plan.dataset(),
                  network.network(),
                  plan.network(),
                  seed,
                  kernels,
                  share::datasetIds));
      boolean ahead = settings.ahead();
      samplingWorkers =
          ahead ? resources.add(new Workers(kernels.workers().threads())) : kernels.workers();
      samplingThread = ahead ? samplingThread() : null;
      if (samplingThread != null) {
        resources.add(samplingThread::shutdownNow);
      }
      sampler =
          new BulkSampler(
              settings.sampler(share.ranks()),
              share.adjacency(),
              share.training(),
              seed,
              samplingWorkers);
      sampler.drawOn(kernels.clock().timeline());
      fetch =
          resources.add(
              ahead
                  ? FeatureFetch.ahead(share.batchFeatures())
                  : FeatureFetch.inTurn(share.batchFeatures(), kernels.workers()));
      deal =
          settings.deal(
              share.rank(), share.dataset().vertices(), items.count(), share.trainingOfRanks());
      widths = plan.network().layers().stream().skip(1).map(GraphLayer::in).toList();
      HistoricalSettings kept = settings.historical();
      if (kept != null) {
        if (settings.fetchesAtFirst()) {
          probe =
              resources.add(
                  new DriftProbe(
                      share,
                      deal.turns(),
                      settings.sampler(share.ranks()),
                      seed,
                      blocks,
                      kernels.workers()));
        }
        historical = historical(probe == null ? kept : kept.keepingNone());
      }
      inference = resources.add(inference(arena, plan));
      batchLoss =
          BatchLoss.of(
              new BatchLoss.Means(network, share, settings, deal, kernels), items, inference);
      lastEpoch = new Traffic(share.ranks()).snapshot();
    } catch (Throwable e) {
      resources.closeAfter(e);
      throw e;
    }
  }

  /// How often batches will want the features of each vertex.
  private static double[] accesses(RankShare share, MinibatchSettings settings) {
    int ranks = share.ranks();
    return settings
        .sampler(ranks)
        .inputProbabilities(share.adjacency(), share.training(), settings.batchOf(ranks));
  }

  private HistoricalBatches.Means historical(HistoricalSettings kept) {
    HistoricalEmbeddings embeddings =
        new HistoricalEmbeddings(
            share.arena(), halo(), widths, kept, reads(), seed, kernels.workers());
    return new HistoricalBatches.Means(
        embeddings, sampler, new FetchedRows(), new FetchedRows(), sampleNanos, kernels.clock());
  }

  private HistoricalEmbeddings.Share halo() {
    return new HistoricalEmbeddings.Share(
        world,
        share.grid().processColumn(),
        share.distribution(),
        share.ownRows(),
        share.ownFeatures(),
        share.allFeatures(),
        share.batchFeatures(),
        share.wire());
  }

  private HaloReads reads() {
    return new HaloReads(
        settings.sampler(share.ranks()),
        AdjacencyRows.own(share.begin(), share.ownRows()),
        items.training(),
        deal.turns());
  }

  private static ExecutorService samplingThread() {
    return Executors.newSingleThreadExecutor(
        Thread.ofPlatform().daemon().name(Thread.currentThread().getName() + "-sample").factory());
  }

  private Inference inference(Arena arena, MinibatchPlan plan) {
    if (settings.testFanouts().isEmpty()) {
      return new LayerwiseInference(arena, share, plan.evaluation(), blocks, kernels.workers());
    }
    BulkSampler test =
        new BulkSampler(
            new SageSampler(settings.testFanouts()),
            share.adjacency(),
            share.training(),
            seed,
            kernels.workers());
    List<Split> parts = List.of(Split.TRAIN, Split.VALIDATION, Split.TEST);
    int[] labelled =
        IntStream.range(0, plan.dataset().vertices())
            .filter(v -> parts.stream().anyMatch(part -> share.isLabelled(v, part)))
            .toArray();
    return new SampledInference(
        arena, share, test, blocks, labelled, settings.batchOf(share.ranks()), kernels.workers());
  }

  @Override
  public double train(int epoch, double learningRate) {
    Traffic.Snapshot before = world.traffic().snapshot();
    long fetched = share.adjacency().bytesFetched();
    CacheUse features = share.batchFeatures().counts().use();
    embeddingsBefore = embeddingUse();
    PhaseClock clock = kernels.clock();
    try (var _ = clock.epoch(epoch + 1)) {
      double mine = turns(epoch, learningRate);
      double loss =
          clock.measured(Phase.REDUCE, "allreduce loss", () -> share.everybody().sum(mine)[0]);
      lastEpoch = world.traffic().snapshot().minus(before);
      lastUse =
          embeddingUse()
              .minus(embeddingsBefore)
              .plus(share.batchFeatures().counts().use().minus(features));
      graphBytes += share.adjacency().bytesFetched() - fetched;
      return loss;
    }
  }

  private CacheUse embeddingUse() {
    return historical == null ? CacheUse.NONE : historical.embeddings().counts().use();
  }

  /// @return this rank's part of the mean loss of the epoch
  private double turns(int epoch, double learningRate) {
    double loss = 0;
    if (deal.turns() == 0) {
      return loss;
    }
    long before = share.batchFeatures().counts().bytes();
    int turn = 0;
    DriftProbe measuring = probe;
    if (measuring != null) {
      try (BatchFeed feed = fetched(epoch)) {
        measuring.remember(state);
        for (; probe != null && turn < deal.turns(); turn++) {
          loss += train(feed, turn, epoch, learningRate);
          if (turn + 1 == measuring.batches()) {
            chooseLife(measuring, share.batchFeatures().counts().bytes() - before);
          }
        }
      }
      fetchedTurns += turn;
    }
    if (turn < deal.turns()) {
      try (BatchFeed feed = feed(epoch, turn)) {
        for (; turn < deal.turns(); turn++) {
          loss += train(feed, turn, epoch, learningRate);
        }
      }
    }
    return loss;
  }

  /// @param from the first turn, if embeddings are kept
  private BatchFeed feed(int epoch, int from) {
    return historical == null
        ? fetched(epoch)
        : new HistoricalBatches(historical, vertices(epoch), deal, epoch, from);
  }

  private BatchFeed fetched(int epoch) {
    BulkStream bulks =
        new BulkStream(
            sampler, vertices(epoch), deal, settings.bulk(), epoch, samplingThread, sampleNanos);
    return new FetchedBatches(bulks, fetch, deal.turns(), settings.ahead(), kernels.clock());
  }

  /// Decides whether embeddings are kept from the next batch on. Collective.
  ///
  /// @param fetched bytes that this rank has fetched while drift was measured
  private void chooseLife(DriftProbe measured, long fetched) {
    HistoricalSettings kept = Objects.requireNonNull(settings.historical());
    EmbeddingDrift drift = measured.moved(state);
    if (lifeCosts.isEmpty()) {
      lifeCosts = lifeCosts(kept);
    }
    LifeVerdict verdict =
        LifeVerdict.of(
            lifeCosts,
            drift,
            share.everybody().sum((double) fetched)[0] * deal.turns() / measured.batches());
    warning = warning == null ? verdict.warning().orElse(null) : warning;
    if (verdict.life() > 0) {
      keep(verdict.life());
    }
  }

  /// What the lives that embeddings may have would cost: a rank knows how often it reads remote
  /// vertices, and their owners how often they compute them. Collective.
  private List<LifeCost> lifeCosts(HistoricalSettings kept) {
    HaloReads reads = reads();
    int solids = share.end() - share.begin();
    DenseMatrix computed = DenseMatrix.allocate(share.arena(), solids, Math.max(1, widths.size()));
    for (int e = 0; e < widths.size(); e++) {
      double[] perBatch = reads.perBatch(e + 1);
      for (int v = 0; v < solids; v++) {
        computed.set(v, e, (float) perBatch[share.begin() + v]);
      }
    }
    int[] halos = new HaloPartition(share.begin(), share.ownRows()).halos();
    try (FetchedRows rows = new FetchedRows()) {
      FeatureSource owners = share.rowsOf(new Features.Dense(computed));
      owners.fetch(halos, rows, kernels.workers());
      DenseMatrix ofHalos = ((Features.Dense) rows.features()).x();
      return LifeCost.of(reads, halos, ofHalos, widths, kept, share.wire(), share.everybody());
    }
  }

  /// Begins to keep embeddings. Collective.
  private void keep(int life) {
    HistoricalSettings kept = Objects.requireNonNull(settings.historical());
    if (historical != null) {
      historical.close();
    }
    historical = historical(kept.withLife(life));
    embeddingsBefore = CacheUse.NONE;
    probe = null;
  }

  /// The vertices of each batch of an epoch; none where they are drawn.
  private IntFunction<int[]> vertices(int epoch) {
    if (settings.sampler().drawsSubgraphs()) {
      return number -> new int[0];
    }
    return items.batches(deal.cutTogether(), epoch);
  }

  /// One turn: the gradients of this rank's batch, and a step when those of all are there.
  ///
  /// @return this rank's part of the mean loss of the epoch
  private double train(BatchFeed feed, int turn, int epoch, double learningRate) {
    double part = 0;
    SampledBatch batch = feed.next();
    Features x = feed.inputs();
    if (batch == null) {
      state.gradients().fill((byte) 0);
      feed.computed(List.of());
    } else {
      BatchLoss.Place place = new BatchLoss.Place(epoch, turn);
      long dropout = (long) epoch << Integer.SIZE | batch.number();
      part =
          (double) deal.itemsOfStep(turn)
              / deal.items()
              * blocks.train(
                  batch,
                  x,
                  dropout,
                  state,
                  outputs -> batchLoss.andGradient(outputs, batch, place, state),
                  feed);
      trainedBatches++;
      // The layers of a subgraph share one block, which was drawn once.
      for (SampledBlock block : new HashSet<>(batch.blocks())) {
        sampledEdges += block.matrix().nnz();
      }
    }
    DenseMatrix gradients = DenseMatrix.wrap(state.gradients(), stepGradients.rows(), 1);
    if (!deal.beginsStep(turn)) {
      Epilogues.apply(Epilogues.add(stepGradients), gradients, kernels.workers());
    }
    if (deal.endsStep(turn)) {
      step(learningRate);
    } else {
      stepGradients.copyFrom(gradients);
    }
    return part;
  }

  private void step(double learningRate) {
    PhaseClock clock = kernels.clock();
    clock.measure(
        Phase.REDUCE, "allreduce gradients", () -> share.everybody().sum(state.gradients()));
    statistics.update(state);
    try (var _ = clock.step("optimizer")) {
      optimizer.step(state, learningRate, kernels.workers());
    }
  }

  @Override
  public Evaluation evaluate() {
    long start = System.nanoTime();
    try (var _ = kernels.clock().step("evaluation")) {
      return batchLoss.evaluate(inference.logits(state), state);
    } finally {
      evaluations++;
      evaluateNanos += System.nanoTime() - start;
    }
  }

  /// {@return the measurements of this rank so far} Local.
  public MinibatchCounts counts() {
    return new MinibatchCounts(
        trainedBatches,
        sampledEdges,
        sampleNanos.sum() / 1e9,
        sampler.seconds(),
        graphBytes,
        evaluations,
        evaluateNanos / 1e9,
        share.batchFeatures().counts(),
        historical == null ? null : historical.embeddings().counts());
  }

  /// {@return optimizer steps per epoch}
  public int steps() {
    return deal.steps();
  }

  /// {@return the settings, with the smallest bulk of all ranks}
  public MinibatchSettings settings() {
    return settings;
  }

  /// {@return batches of each rank per epoch}
  public int turns() {
    return deal.turns();
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
  public @Nullable NumericFault fault() {
    return blocks.fault();
  }

  @Override
  public @Nullable CarriedState carried() {
    return historical == null ? null : new Carried();
  }

  /// The caches, which are made when they are read if they are not there yet.
  private final class Carried implements CarriedState {
    private HistoricalEmbeddings embeddings() {
      return Objects.requireNonNull(historical).embeddings();
    }

    @Override
    public List<File> write(@Nullable CheckpointFolder folder, int epochs) {
      return embeddings().state().write(folder, epochs);
    }

    @Override
    public int rank() {
      return world.rank();
    }

    @Override
    public int ranks() {
      return world.size();
    }

    @Override
    public void read(Path file) {
      int life = probe == null ? 0 : HistoricalEmbeddings.life(file);
      if (life > 0) {
        keep(life);
      }
      embeddings().state().read(file);
    }
  }

  /// {@return why embeddings are not cached; returned once after the decision} Local.
  public Optional<String> takeWarning() {
    Optional<String> news = warned ? Optional.empty() : Optional.ofNullable(warning);
    warned |= news.isPresent();
    return news;
  }

  /// {@return maximum age of an embedding in batches; 0 if none is cached}
  public int cacheLife() {
    return historical == null ? 0 : historical.embeddings().life();
  }

  /// {@return batches of this rank that fetched before embeddings were cached}
  public int fetchedTurns() {
    return fetchedTurns;
  }

  @Override
  public Traffic.Snapshot sent() {
    return lastEpoch;
  }

  @Override
  public Team team() {
    return share.everybody();
  }

  @Override
  public CacheUse cacheUse() {
    return lastUse;
  }

  @Override
  public Map<Phase, Double> takePhases() {
    return kernels.clock().take();
  }

  /// Frees all memory and threads of the trainer. Collective.
  @Override
  public void close() {
    if (historical != null) {
      historical.close();
    }
    resources.close();
    share.close();
  }
}
