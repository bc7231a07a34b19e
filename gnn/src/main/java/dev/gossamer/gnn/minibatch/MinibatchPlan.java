package dev.gossamer.gnn.minibatch;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.historical.HistoricalEmbeddings;
import dev.gossamer.gnn.hop.HopPlan;
import dev.gossamer.gnn.inference.InferencePlan;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.objective.TargetObjective;
import dev.gossamer.gnn.sampling.BatchItems;
import dev.gossamer.gnn.sampling.DrawnBlocks;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.sampling.SamplingMemory;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.gnn.stack.FeaturedEdges;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkInput;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.StackBounds;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.DroppedSpmm;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.GrowingSegment;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/// The plan of minibatch training of a network on a data set: layers, the largest batch, memory.
///
/// @param dataset to train on
/// @param training the network and the optimizer
/// @param evaluation plan of the evaluation, and the network
/// @param ranks that train
/// @param placement of the vertices in a block for each rank, or for several ranks
/// @param drawn sizes of drawn batches
public record MinibatchPlan(
    GraphData dataset,
    NetworkTraining training,
    InferencePlan evaluation,
    int ranks,
    Placement placement,
    DrawnBlocks drawn) {
  /// Lines of the estimate: memory that is allocated when a rank has its features.
  private static final String BULKS = "sampled bulks";

  private static final String BUFFERS = "buffers of a batch";
  private static final String EVALUATION = "evaluation";

  /// Bulks of an epoch, at least, if the next is drawn while one is in use.
  private static final int BULKS_AHEAD = 8;

  /// Batches of a bulk that spread what is done once a bulk; more leave the caches.
  private static final int USEFUL_BULK = 8;

  /// {@return a plan for ranks with consecutive vertices} Cost: a pass over the entries of a
  /// directed graph.
  ///
  /// @param dataset to train on
  /// @param training the network and the optimizer
  /// @param ranks how many train
  public static MinibatchPlan of(GraphData dataset, NetworkTraining training, int ranks) {
    InferencePlan evaluation = InferencePlan.of(dataset, training.network(), dataset.outputs());
    DrawnBlocks drawn =
        new DrawnBlocks(
            training.network().propagation(dataset),
            evaluation.degrees(),
            training.network().input(dataset.features()),
            items(dataset, training),
            training.seed());
    Placement placement = Placement.block(dataset.vertices(), ranks);
    return new MinibatchPlan(dataset, training, evaluation, ranks, placement, drawn);
  }

  private static BatchItems items(GraphData dataset, NetworkTraining training) {
    return BatchItems.of(
        training.objective(),
        dataset.batched(),
        Placement.block(dataset.vertices(), 1),
        training.seed());
  }

  /// {@return a copy with another placement of the vertices}
  ///
  /// @param other placement in blocks, whose number divides that of the ranks
  public MinibatchPlan placed(Placement other) {
    return new MinibatchPlan(dataset, training, evaluation, ranks, other, drawn);
  }

  /// {@return layers and parameters}
  public Network network() {
    return evaluation.network();
  }

  /// Kind and width of what the first layer reads.
  private Features input() {
    return training.network().input(dataset.features());
  }

  private Degrees degrees() {
    return evaluation.degrees();
  }

  private DrawnBlocks.Sizes sizes(MinibatchSettings minibatch) {
    return drawn.of(minibatch.sampler(ranks), minibatch.batchOf(ranks));
  }

  /// The blocks of the largest batch of a rank, in the order of a forward pass. A rank that draws
  /// from the rows of its own vertices sees those and their neighbours.
  private List<BlockBound> blocks(MinibatchSettings minibatch) {
    List<BlockBound> blocks = sizes(minibatch).blocks();
    if (!minibatch.samplesOwnRowsOnly() || isAlone()) {
      return blocks;
    }
    int count = placement.distribution().blocks();
    long own = placement.distribution().largest();
    long seen =
        IntStream.range(0, count)
            .mapToLong(block -> own(block) + evaluation.halo(placement, block))
            .max()
            .orElse(0);
    return blocks.stream()
        .map(block ->
            new BlockBound(
                Math.min(own, block.targets()), Math.min(seen, block.sources()), block.entries()))
        .toList();
  }

  /// The passes through such blocks. A layer that sees edges sees those of a block, and each
  /// target's own.
  private List<PassSize> passes(List<BlockBound> blocks) {
    return blocks.stream()
        .map(block ->
            new PassSize(
                block.sources(),
                block.targets(),
                training.network().seesEdges() ? block.entries() + block.targets() : 0))
        .toList();
  }

  /// {@return an upper bound of the buffers of a batch, which grow as larger batches arrive}
  ///
  /// @param minibatch sampler and sizes
  public BufferPlan buffers(MinibatchSettings minibatch) {
    return buffers(minibatch, blocks(minibatch));
  }

  private BufferPlan buffers(MinibatchSettings minibatch, List<BlockBound> blocks) {
    List<PassSize> passes = passes(blocks);
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    if (input() instanceof Features.Dense dense) {
      long inputs = (minibatch.ahead() ? 2 : 1) * passes.getFirst().sources();
      buffers.add(new BufferPlan.Buffer("inputs", inputs, dense.width()));
    }
    buffers.addAll(StackBounds.buffers(network(), passes));
    return new BufferPlan(buffers);
  }

  /// {@return turns of a rank per epoch, assuming an even share of the vertices}
  ///
  /// @param minibatch sampler and sizes
  public int turns(MinibatchSettings minibatch) {
    int count = items(dataset, training).count();
    int steps = minibatch.steps(dataset.vertices(), count, ranks);
    return Math.multiplyExact(steps, minibatch.stepBatches(ranks) / ranks);
  }

  /// {@return the automatic bulk: 8 batches, or two per thread; at most an epoch's batches of a
  /// rank, or with prefetching 1/8 of them, since the first bulk is not prefetched; fewer if memory
  /// is short} Larger bulks take more memory without saving time (`docs/minibatches.md`).
  ///
  /// @param minibatch sampler and sizes
  /// @param threads of each rank
  /// @param processRanks ranks that the process runs
  /// @param limit maximum bytes of the process
  public int automaticBulk(MinibatchSettings minibatch, int threads, int processRanks, long limit) {
    int turns = turns(minibatch);
    int most = minibatch.ahead() ? Math.ceilDiv(turns, BULKS_AHEAD) : turns;
    return MemoryEstimate.largestFitting(
        2,
        Math.min(most, Math.max(USEFUL_BULK, 2 * threads)),
        limit,
        k -> memory(minibatch.withBulk(k), threads, processRanks).needed());
  }

  /// {@return the memory of a process}
  ///
  /// @param minibatch sampler and sizes
  /// @param threads of each rank
  /// @param processRanks ranks that the process runs
  public MemoryEstimate memory(MinibatchSettings minibatch, int threads, int processRanks) {
    long p = processRanks;
    DrawnBlocks.Sizes sizes = sizes(minibatch);
    int teams = minibatch.ahead() ? 2 : 1;
    MemoryEstimate estimate =
        MemoryEstimate.builder()
            .add("Java runtime", MemoryEstimate.runtimeBytes(processRanks, threads))
            .add("graph", dataset.graphSegments())
            .add("features", dataset.features().segments())
            .add("labels, split, placement", dataset.vertices() * (5L * Integer.BYTES + 1))
            .add("targets", dataset.targetSegments())
            .add(
                "edges and pairs",
                RankLinks.bytesOfBatches(
                    dataset,
                    training.network().decoder(),
                    minibatch.batchOf(ranks),
                    processRanks,
                    ranks))
            .add("scores", TargetObjective.scoreBytes(dataset, processRanks, threads))
            .add("normalised graph", ofProcess(processRanks, block -> graphBytes(minibatch, block)))
            .add(BULKS, p * samplingBytes(minibatch, threads))
            .add("own features", ofProcess(processRanks, this::ownFeatures))
            .add(
                HopPlan.KEPT,
                ofProcess(processRanks, block -> evaluation.hops().keptBytes(own(block))))
            .add(BUFFERS, ofProcess(processRanks, block -> passBytes(minibatch, block)))
            .add("features of a batch", p * featuresOfBatch(minibatch, sizes))
            .add(EVALUATION, ofProcess(processRanks, block -> evaluationBytes(minibatch, block)))
            .add("feature cache", p * cacheBytes(minibatch))
            .add(
                "historical embeddings",
                ofProcess(processRanks, block -> historicalBytes(minibatch, block)))
            .add("measured drift", p * driftBytes(minibatch))
            .add("parameters and optimizer", p * network().stateBytes(training.rule()))
            .add("thread scratch", p * teams * Workers.bytes(threads))
            .build();
    ExchangeStrategy strategy = minibatch.division().strategy();
    long computing =
        ofProcess(
            processRanks, block -> evaluation.hops().workingBytes(placement, strategy, block));
    // What batches take is allocated when the hops are there.
    long after = estimate.bytes(BUFFERS) + estimate.bytes(EVALUATION) + estimate.bytes(BULKS);
    return estimate.with(HopPlan.COMPUTING, Math.max(0, computing - after));
  }

  private long ofProcess(int processRanks, IntToLongFunction ofBlock) {
    return MemoryEstimate.ofProcess(
        ranks, placement.distribution().blocks(), processRanks, ofBlock);
  }

  private int own(int block) {
    return placement.distribution().count(block);
  }

  private boolean isAlone() {
    return placement.distribution().blocks() == 1;
  }

  /// `Â`, whole, in rows of the rank's own vertices, or both, squares of its weights, and the
  /// length of each row.
  private long graphBytes(MinibatchSettings minibatch, int block) {
    NetworkSettings network = training.network();
    boolean whole = !minibatch.partitioned() && !minibatch.samplesOwnRowsOnly();
    boolean inOrder = placement.keepsOrder();
    long all =
        inOrder
            ? network.propagationBytes(dataset)
            : copyBytes(dataset.vertices(), degrees().sum());
    long ownEntries = evaluation.entries(placement, block);
    long rows = copyBytes(own(block), ownEntries);
    boolean squares =
        minibatch.sampler().keepsSquares()
            && !minibatch.partitioned()
            && dataset.adjacency().values() != null;
    long squared =
        isAlone() || whole ? degrees().sum() + dataset.vertices() : ownEntries + own(block);
    return (isAlone() || whole ? all : 0)
        + (!isAlone() && minibatch.holdsBlock() ? rows : 0)
        + (squares ? squared * Float.BYTES : 0)
        + (long) dataset.vertices() * Integer.BYTES;
  }

  /// Rows of `Â` in another order, and of its transpose, if it has other entries.
  private long copyBytes(long rows, long entries) {
    long matrix = CsrMatrix.bytes(rows, entries, dataset.adjacency().values() != null);
    return (dataset.info().directed() ? 2 : 1) * matrix + 4L * dataset.vertices() * Float.BYTES;
  }

  /// Features of a rank's vertices besides the file: none if its rows are consecutive there.
  private long ownFeatures(int block) {
    int[] members = placement.members(block);
    boolean here = RowIds.of(members).consecutive();
    return switch (dataset.features()) {
      case Features.Dense dense -> here ? 0 : DenseMatrix.bytes(members.length, dense.width());
      case Features.Sparse sparse -> {
        long entries = here ? 0 : IntStream.of(members).mapToLong(sparse.x()::rowLength).sum();
        yield CsrMatrix.bytes(members.length, entries, sparse.x().values() != null);
      }
      case Features.None none -> 0;
    };
  }

  /// What the passes of training and of evaluation take in turn, and what training makes of the
  /// blocks of a batch.
  private long passBytes(MinibatchSettings minibatch, int block) {
    List<BlockBound> blocks = blocks(minibatch);
    List<BufferPlan.Buffer> evaluating =
        minibatch.testFanouts().isEmpty()
            ? evaluation.passBuffers(placement, block)
            : StackBounds.evaluationBuffers(network(), passes(testBlocks(minibatch)));
    long shared =
        StackBounds.bytesOfLarger(StackBounds.buffers(network(), passes(blocks)), evaluating);
    long inputs =
        input() instanceof Features.Dense dense
            ? DenseMatrix.bytes(blocks.getFirst().sources(), dense.width())
            : 0;
    int batches = minibatch.ahead() ? 2 : 1;
    return GrowingSegment.bytesAtMost(shared + batches * inputs) + blockBytes(minibatch, blocks);
  }

  /// Weights of entries and transposes; the layers of a subgraph share one block.
  private long blockBytes(MinibatchSettings minibatch, List<BlockBound> blocks) {
    boolean edges = training.network().seesEdges();
    List<PassSize> passes = passes(blocks);
    boolean shared = minibatch.sampler().drawsSubgraphs() && minibatch.historical() == null;
    int layers = shared ? 1 : blocks.size();
    long bytes = 0;
    for (int l = 0; l < layers; l++) {
      BlockBound block = blocks.get(l);
      if (training.network().edgeDropout() > 0) {
        bytes += DroppedSpmm.bytes(block.entries());
      }
      if (edges) {
        long seen = passes.get(l).edges();
        bytes +=
            CsrMatrix.bytes(block.targets(), seen, true)
                + EdgePattern.transposedBytes(block.sources(), seen, false)
                + FeaturedEdges.bytes(training.network(), seen);
      } else {
        bytes +=
            Spmm.bytesAtMost(block.targets(), block.entries(), true, block.sources())
                + Spmm.bytesAtMost(block.sources(), block.entries(), true, block.targets())
                + CsrMatrix.bytes(block.sources(), block.entries(), true);
      }
    }
    return bytes;
  }

  /// Sparse features of the largest batch and of the next, and what training makes of them; of
  /// other ranks' rows what is packed for others, and what has arrived.
  private long featuresOfBatch(MinibatchSettings minibatch, DrawnBlocks.Sizes sizes) {
    Features features = input();
    long rows = blocks(minibatch).getFirst().sources();
    int blocks = placement.distribution().blocks();
    long remote = minibatch.samplesOwnRowsOnly() ? 0 : rows - rows / blocks;
    long travelling = FetchedRows.travellingBytes(features, remote, RowFormat.FLOAT32);
    if (features instanceof Features.Sparse sparse) {
      CsrMatrix x = sparse.x();
      long nnz = sizes.inputEntries();
      long batch = CsrMatrix.bytes(rows, nnz, x.values() != null);
      // Of the next batch; or of a rank's own rows, and of those of others that are kept.
      long batches = minibatch.ahead() || minibatch.historical() != null ? 2 : 1;
      travelling = Math.min(travelling, 2 * batch);
      return GrowingSegment.bytesAtMost(travelling + batches * batch)
          + NetworkInput.sparseBytes(x, nnz, 2, training.network().inputDropout() > 0);
    }
    return GrowingSegment.bytesAtMost(travelling);
  }

  /// What the sampler keeps, and the bulks that are drawn, waiting and in use; evaluation with some
  /// neighbours has a sampler of its own, which draws a batch at a time.
  private long samplingBytes(MinibatchSettings minibatch, int threads) {
    int bulks = minibatch.ahead() ? 3 : 1;
    int k = minibatch.bulk();
    List<BlockBound> blocks = blocks(minibatch);
    SamplingMemory training = minibatch.sampler(ranks).memory(degrees(), blocks);
    long bytes = training.bytesKept(threads) + training.bytesOfBulks(bulks, k, threads);
    if (minibatch.historical() != null) {
      // What the boundary leaves of the blocks.
      bytes += blocks.stream().mapToLong(BlockBound::weightedBytes).sum();
    }
    if (this.training.network().seesRelations()) {
      // The set of each drawn edge.
      long entries = blocks.stream().mapToLong(BlockBound::entries).sum();
      bytes += (long) bulks * k * entries * Float.BYTES;
    }
    if (minibatch.partitioned() && !isAlone()) {
      bytes += blocks.stream().mapToLong(block -> rowsBytes(minibatch, block, k)).max().orElse(0);
    }
    if (minibatch.testFanouts().isEmpty()) {
      return bytes;
    }
    SamplingMemory test =
        new SageSampler(minibatch.testFanouts()).memory(degrees(), testBlocks(minibatch));
    return bytes + test.bytesKept(threads) + test.bytesOfBulks(1, 1, threads);
  }

  /// What measuring the drift of embeddings takes, a few vertices' batch.
  private long driftBytes(MinibatchSettings minibatch) {
    return minibatch.fetchesAtFirst()
        ? buffers(minibatch, drawn.of(minibatch.sampler(ranks), DriftProbe.VERTICES).blocks())
            .bytes()
        : 0;
  }

  /// Rows of a layer of a bulk that come from other ranks: packed for others, arrived and put in
  /// order; of rows of which some neighbours are wanted, no more than those, unless with their
  /// relations.
  private long rowsBytes(MinibatchSettings minibatch, BlockBound block, int k) {
    long rows = Math.min(dataset.vertices(), k * block.targets());
    boolean some = minibatch.sampler().takesMeans() && !training.network().seesRelations();
    long entries = some ? k * block.entries() : degrees().sumOfLargest(rows);
    return 3 * CsrMatrix.bytes(rows, entries, dataset.adjacency().values() != null);
  }

  /// The blocks of a batch that is evaluated with some neighbours.
  private List<BlockBound> testBlocks(MinibatchSettings minibatch) {
    return drawn.of(new SageSampler(minibatch.testFanouts()), minibatch.batchOf(ranks)).blocks();
  }

  private long evaluationBytes(MinibatchSettings minibatch, int block) {
    if (minibatch.testFanouts().isEmpty()) {
      return evaluation.bytes(placement, block);
    }
    long rows = testBlocks(minibatch).getFirst().sources();
    Features features = dataset.features();
    return DenseMatrix.bytes(own(block), network().layers().getLast().out())
        + GrowingSegment.bytesAtMost(
            FetchedRows.bytes(features, rows)
                + FetchedRows.travellingBytes(features, isAlone() ? 0 : rows, RowFormat.FLOAT32));
  }

  /// Remote features that are kept, and how probable each is when it is decided which.
  private long cacheBytes(MinibatchSettings minibatch) {
    return minibatch.cacheBytes() == 0 || isAlone()
        ? 0
        : minibatch.cacheBytes() + SamplingMemory.ofProbabilities(dataset.vertices());
  }

  /// What caches and pushes take.
  private long historicalBytes(MinibatchSettings minibatch, int block) {
    if (minibatch.historical() == null) {
      return 0;
    }
    List<Integer> widths = network().layers().stream().skip(1).map(GraphLayer::in).toList();
    return HistoricalEmbeddings.bytes(
        minibatch.historical(),
        dataset.features(),
        widths,
        new HistoricalEmbeddings.Vertices(
            dataset.vertices(), own(block), evaluation.halo(placement, block)),
        placement.distribution().blocks());
  }
}
