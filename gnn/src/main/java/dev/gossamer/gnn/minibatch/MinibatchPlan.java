package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.historical.HistoricalEmbeddings;
import dev.gossamer.gnn.inference.InferencePlan;
import dev.gossamer.gnn.sampling.BlockBound;
import dev.gossamer.gnn.sampling.Degrees;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplingMemory;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkInput;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.StackBounds;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.PassSize;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.List;

/// What minibatch training of a network on a data set consists of, decided from sizes and degrees
/// alone: layers, the largest batch, memory.
///
/// @param dataset to train on
/// @param training the network, and how it learns
/// @param evaluation what evaluating takes, and the network that it and training share
/// @param ranks that train
public record MinibatchPlan(
    GraphData dataset, NetworkTraining training, InferencePlan evaluation, int ranks) {
  /// Bulks of an epoch, at least, if the next is drawn while one is in use.
  private static final int BULKS_AHEAD = 8;

  /// Batches of a bulk that spread what is done once a bulk; more leave the caches.
  private static final int USEFUL_BULK = 8;

  /// {@return a plan for some ranks} Cost: a pass over the entries of a directed graph.
  ///
  /// @param dataset to train on
  /// @param training the network, and how it learns
  /// @param ranks how many train
  public static MinibatchPlan of(GraphData dataset, NetworkTraining training, int ranks) {
    return new MinibatchPlan(
        dataset, training, InferencePlan.of(dataset, training.network(), dataset.classes()), ranks);
  }

  /// {@return layers and parameters}
  public Network network() {
    return evaluation.network();
  }

  private Degrees degrees() {
    return evaluation.degrees();
  }

  private List<PassSize> passes(MinibatchSettings minibatch) {
    return passes(minibatch, minibatch.batchOf(ranks));
  }

  /// The passes through the largest batch of some vertices, in the order of a forward pass. A layer
  /// that sees edges sees those of a block, and each target's own.
  private List<PassSize> passes(MinibatchSettings minibatch, int batch) {
    return minibatch.sampler(ranks).blocks(degrees(), batch).stream()
        .map(block -> {
          long edges =
              training.network().seesEdges()
                  ? Math.min(
                      degrees().sumOfLargest(block.targets()), block.entries() + block.targets())
                  : 0;
          return new PassSize(block.sources(), block.targets(), edges);
        })
        .toList();
  }

  /// {@return what the largest batch needs at most; memory is taken as batches come that need it}
  ///
  /// @param minibatch sampler and sizes
  public BufferPlan buffers(MinibatchSettings minibatch) {
    return buffers(minibatch, passes(minibatch));
  }

  private BufferPlan buffers(MinibatchSettings minibatch, List<PassSize> blocks) {
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    if (dataset.features() instanceof Features.Dense dense) {
      long inputs = (minibatch.ahead() ? 2 : 1) * blocks.getFirst().sources();
      buffers.add(new BufferPlan.Buffer("inputs", inputs, dense.width()));
    }
    buffers.addAll(StackBounds.buffers(network(), blocks));
    return new BufferPlan(buffers);
  }

  /// {@return turns of a rank per epoch, as long as its vertices are an even share}
  ///
  /// @param minibatch sampler and sizes
  public int turns(MinibatchSettings minibatch) {
    int trained = RankShare.labelled(dataset, Split.TRAIN).length;
    int steps = minibatch.steps(dataset.vertices(), trained, ranks);
    return Math.multiplyExact(steps, minibatch.stepBatches(ranks) / ranks);
  }

  /// {@return the bulk that is chosen automatically: 8 batches, or two for each thread, and at most
  /// an epoch's batches of a rank, or an eighth of them if bulks are drawn ahead, since the first
  /// is not; fewer if the run is not within a limit} Larger bulks take more memory and no less time
  /// (`docs/minibatches.md`).
  ///
  /// @param minibatch sampler and sizes
  /// @param threads of each rank
  /// @param processRanks ranks that the process runs
  /// @param limit bytes that the process may take
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
    long n = dataset.vertices();
    long p = processRanks;
    int blocksOfRows = Math.max(1, ranks / minibatch.replication());
    long own = Math.ceilDiv(n, blocksOfRows);
    Propagation propagation = training.network().propagation(dataset);
    long block = propagation.bytes() / blocksOfRows + 16 * n;
    boolean whole = !minibatch.partitioned() && !minibatch.samplesOwnRowsOnly();
    long graph = (minibatch.holdsBlock() ? block : 0) + (whole ? propagation.bytes() : 0);
    int samplers = minibatch.ahead() ? 2 : 1;
    return MemoryEstimate.builder()
        .add("Java runtime", MemoryEstimate.runtimeBytes(processRanks, threads))
        .add("graph", dataset.adjacency().segments())
        .add("features", dataset.features().segments())
        .add("labels and split", n * (3L * Integer.BYTES + 1))
        .add("normalised graph", p * graph)
        .add("sampled bulks", p * samplingBytes(minibatch, threads))
        .add("own features", p * ownFeatures(minibatch, blocksOfRows))
        .add("buffers of a batch", p * buffers(minibatch).bytes())
        .add("features of a batch", p * featuresOfBatch(minibatch, blocksOfRows))
        .add(
            "evaluation",
            p * evaluation.bytes(own, minibatch.samplesOwnRowsOnly() ? 0 : blocksOfRows))
        .add("feature cache", p * minibatch.cacheBytes())
        .add("historical embeddings", p * historicalBytes(minibatch, own, blocksOfRows))
        .add("measured drift", p * driftBytes(minibatch))
        .add("parameters and optimizer", p * network().stateBytes(training.rule()))
        .add("thread scratch", p * samplers * Workers.bytes(threads))
        .build();
  }

  /// Features of a rank's vertices besides the file: none if its rows are consecutive there.
  private long ownFeatures(MinibatchSettings minibatch, int blocks) {
    if (blocks == 1) {
      return 0;
    }
    int own = Math.ceilDiv(dataset.vertices(), blocks);
    return switch (dataset.features()) {
      case Features.Dense dense ->
          minibatch.samplesOwnRowsOnly() ? DenseMatrix.bytes(own, dense.width()) : 0;
      case Features.Sparse sparse -> {
        CsrMatrix x = sparse.x();
        yield CsrMatrix.bytes(own, Math.ceilDiv(x.nnz(), blocks), x.values() != null);
      }
      case Features.None none -> 0;
    };
  }

  /// Sparse features of the largest batch and of the next, and what training makes of them; of
  /// other ranks' rows what is packed for others, and what has arrived.
  private long featuresOfBatch(MinibatchSettings minibatch, int blocks) {
    Features features = dataset.features();
    long rows = passes(minibatch).getFirst().sources();
    long travelling =
        FetchedRows.travellingBytes(features, rows - rows / blocks, RowFormat.FLOAT32);
    if (features instanceof Features.Sparse sparse) {
      CsrMatrix x = sparse.x();
      long nnz = Math.min(x.nnz(), rows * x.longestRow());
      return travelling
          + (minibatch.ahead() ? 2 : 1) * FetchedRows.bytes(features, rows)
          + NetworkInput.sparseBytes(x, nnz, 2, training.network().inputDropout() > 0);
    }
    return travelling;
  }

  /// What the sampler keeps, and the bulks that are drawn, waiting and in use; evaluation with some
  /// neighbours has a sampler of its own, which draws a batch at a time.
  private long samplingBytes(MinibatchSettings minibatch, int threads) {
    long bulks = minibatch.ahead() ? 3 : 1;
    Sampler sampler = minibatch.sampler(ranks);
    int batch = minibatch.batchOf(ranks);
    SamplingMemory training = sampler.memory(degrees(), batch);
    long bytes =
        training.bytesKept(threads) + bulks * training.bytesOfBulk(minibatch.bulk(), threads);
    if (minibatch.historical() != null) {
      // What the boundary leaves of the blocks.
      bytes += sampler.blocks(degrees(), batch).stream().mapToLong(BlockBound::weightedBytes).sum();
    }
    if (minibatch.testFanouts().isEmpty()) {
      return bytes;
    }
    SamplingMemory test = new SageSampler(minibatch.testFanouts()).memory(degrees(), batch);
    return bytes + test.bytesKept(threads) + test.bytesOfBulk(1, threads);
  }

  /// What measuring the drift of embeddings takes, a few vertices' batch.
  private long driftBytes(MinibatchSettings minibatch) {
    return minibatch.fetchesAtFirst()
        ? buffers(minibatch, passes(minibatch, DriftProbe.VERTICES)).bytes()
        : 0;
  }

  /// What caches and pushes take, if there are as many halo vertices as a rank has cut edges at
  /// most.
  private long historicalBytes(MinibatchSettings minibatch, long own, int blocks) {
    if (minibatch.historical() == null) {
      return 0;
    }
    long halos = Math.min(dataset.vertices() - own, Math.ceilDiv(degrees().sum(), (long) blocks));
    List<Integer> widths = network().layers().stream().skip(1).map(GraphLayer::in).toList();
    return HistoricalEmbeddings.bytes(
        minibatch.historical(), dataset.features(), widths, own, halos, blocks);
  }
}
