package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.historical.HistoricalEmbeddings;
import dev.gossamer.gnn.sampling.Degrees;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.sampling.SamplingMemory;
import dev.gossamer.gnn.sampling.WholeNeighbourhoods;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.nn.Backward;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.Order;
import dev.gossamer.nn.PassSize;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// What minibatch training of a network on a data set consists of, decided from sizes and degrees
/// alone: layers, the largest batch, memory.
///
/// @param network layers and parameters
/// @param ranks that train
/// @param degrees entries of each row of `Â`
/// @param rowsAtATime vertices whose neighbourhoods are evaluated at a time
public record MinibatchPlan(
    GraphData dataset,
    NetworkSettings settings,
    Network network,
    int ranks,
    Degrees degrees,
    int rowsAtATime) {
  /// Bytes that the inputs of a few rows may take in evaluation, about.
  private static final long EVALUATION_BYTES = 64L << 20;

  /// Bulks of an epoch, at least, if the next is drawn while one is in use.
  private static final int BULKS_AHEAD = 8;

  /// Fewer rows at a time are not worth a pass.
  private static final int LEAST_ROWS = 256;

  /// Plans for some ranks. Cost: a pass over the entries of a directed graph.
  public static MinibatchPlan of(GraphData dataset, NetworkSettings settings, int ranks) {
    boolean sparse = dataset.features() instanceof Features.Sparse;
    Network network =
        Network.of(
            settings,
            dataset.features().width(),
            dataset.classes(),
            (l, in, out) -> l == 0 && sparse ? Order.TRANSFORM_FIRST : Order.AGGREGATE_AND_KEEP);
    Degrees degrees = new Degrees(settings.propagation(dataset).rowLengths());
    int widest =
        Math.max(
            sparse ? 1 : dataset.features().width(),
            network.layers().stream().mapToInt(GraphLayer::out).max().orElse(1));
    long neighbours = 1 + degrees.sum() / Math.max(1, dataset.vertices());
    NetworkSettings.Attention attention = settings.attention();
    // With attention a row has a few numbers for each edge, and all sources are transformed: the
    // more rows at a time, the fewer sources are transformed twice.
    long rowBytes =
        attention == null
            ? neighbours * widest * Float.BYTES
            : (neighbours * attention.heads() + widest) * Float.BYTES;
    int rows = Math.clamp(EVALUATION_BYTES / rowBytes, LEAST_ROWS, 1 << 20);
    return new MinibatchPlan(dataset, settings, network, ranks, degrees, rows);
  }

  /// The passes through the largest batch, in the order of a forward pass. A layer that sees edges
  /// sees those of a block, and each target's own.
  private List<PassSize> passes(MinibatchSettings minibatch) {
    return minibatch.sampler().blocks(degrees, minibatch.batchSize()).stream()
        .map(block -> {
          long edges =
              settings.seesEdges()
                  ? Math.min(
                      degrees.sumOfLargest(block.targets()), block.entries() + block.targets())
                  : 0;
          return new PassSize(block.sources(), block.targets(), edges);
        })
        .toList();
  }

  /// What the largest batch needs at most; memory is taken as batches come that need it.
  public BufferPlan buffers(MinibatchSettings minibatch) {
    List<PassSize> blocks = passes(minibatch);
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    long shared = 0;
    if (dataset.features() instanceof Features.Dense dense) {
      long inputs = (minibatch.ahead() ? 2 : 1) * blocks.getFirst().sources();
      buffers.add(new BufferPlan.Buffer("inputs", inputs, dense.width()));
    }
    for (int l = 0; l < blocks.size(); l++) {
      GraphLayer layer = network.layers().get(l);
      PassSize block = blocks.get(l);
      buffers.add(new BufferPlan.Buffer("layer " + (l + 1), block.targets(), layer.out()));
      long kept = layer.keptElements(block);
      if (kept > 0) {
        buffers.add(
            BufferPlan.Buffer.ofElements("kept by layer " + (l + 1), block.targets(), kept));
      }
      Backward backward = l > 0 ? Backward.INPUT : Backward.PARAMETERS;
      shared = Math.max(shared, layer.sharedElements(block, backward));
    }
    buffers.add(new BufferPlan.Buffer("shared", shared, 1));
    return new BufferPlan(buffers);
  }

  /// The largest bulk whose run is within a limit, at most an epoch's batches of a rank, or an
  /// eighth of them if bulks are drawn ahead; 1 if even that is not.
  ///
  /// @param limit bytes that the process may take
  public int largestBulk(
      MinibatchSettings minibatch, OptimizerRule rule, int threads, int processRanks, long limit) {
    int batches = minibatch.batches(dataset.vertices(), trainingVertices(dataset).length);
    int turns = Math.ceilDiv(batches, ranks);
    int most = minibatch.ahead() ? Math.ceilDiv(turns, BULKS_AHEAD) : turns;
    return MemoryEstimate.largestFitting(
        2, most, limit, k -> memory(minibatch.withBulk(k), rule, threads, processRanks).bytes());
  }

  /// The memory of a process.
  ///
  /// @param threads of each rank
  /// @param processRanks ranks that the process runs
  public MemoryEstimate memory(
      MinibatchSettings minibatch, OptimizerRule rule, int threads, int processRanks) {
    CsrMatrix a = dataset.adjacency();
    long n = dataset.vertices();
    long p = processRanks;
    int blocksOfRows = Math.max(1, ranks / minibatch.replication());
    long own = Math.ceilDiv(n, blocksOfRows);
    Propagation propagation = settings.propagation(dataset);
    long block = propagation.bytes() / blocksOfRows + 16 * n;
    boolean whole = !minibatch.partitioned() && !minibatch.samplesOwnRowsOnly();
    long graph = (minibatch.holdsBlock() ? block : 0) + (whole ? propagation.bytes() : 0);
    int samplers = minibatch.ahead() ? 2 : 1;
    return MemoryEstimate.builder()
        .add("Java runtime", MemoryEstimate.RUNTIME_BYTES)
        .add("graph", CsrMatrix.bytes(a.rows(), a.nnz(), a.values() != null))
        .add("features", FeatureSource.residentBytes(dataset.features()))
        .add("labels and split", n * (3L * Integer.BYTES + 1))
        .add("normalised graph", p * graph)
        .add("sampled bulks", p * samplingBytes(minibatch, threads))
        .add("buffers of a batch", p * buffers(minibatch).bytes())
        .add("evaluation", p * evaluationBytes(own))
        .add("feature cache", p * minibatch.cacheBytes())
        .add("historical embeddings", p * historicalBytes(minibatch, own, blocksOfRows))
        .add("parameters and optimizer", p * network.stateBytes(rule))
        .add("thread scratch", p * samplers * Workers.bytes(threads))
        .build();
  }

  /// What the sampler keeps, and the bulks that are drawn, waiting and in use; evaluation with some
  /// neighbours has a sampler of its own, which draws a batch at a time.
  private long samplingBytes(MinibatchSettings minibatch, int threads) {
    long bulks = minibatch.ahead() ? 3 : 1;
    SamplingMemory training = minibatch.sampler().memory(degrees, minibatch.batchSize());
    long bytes =
        training.bytesKept(threads) + bulks * training.bytesOfBulk(minibatch.bulk(), threads);
    if (minibatch.testFanouts().isEmpty()) {
      return bytes;
    }
    SamplingMemory test =
        new SageSampler(minibatch.testFanouts()).memory(degrees, minibatch.batchSize());
    return bytes + test.bytesKept(threads) + test.bytesOfBulk(1, threads);
  }

  /// What caches and pushes take, if there are as many halo vertices as a rank has cut edges at
  /// most.
  private long historicalBytes(MinibatchSettings minibatch, long own, int blocks) {
    if (minibatch.historical() == null) {
      return 0;
    }
    long halos = Math.min(dataset.vertices() - own, Math.ceilDiv(degrees.sum(), (long) blocks));
    List<Integer> widths = network.layers().stream().skip(1).map(GraphLayer::in).toList();
    return HistoricalEmbeddings.bytes(
        minibatch.historical(), dataset.features(), widths, own, halos, ranks);
  }

  /// Two layers' outputs for a rank's vertices, and what a few rows and their neighbourhoods take.
  private long evaluationBytes(long own) {
    long n = dataset.vertices();
    int rows = (int) Math.min(rowsAtATime, Math.max(1, own));
    long entries = degrees.largestSum(rows);
    PassSize size = new PassSize(Math.min(n, rows + entries), rows, entries);
    boolean sparse = dataset.features() instanceof Features.Sparse;
    long widest = 0;
    for (int l = 0; l < network.layers().size(); l++) {
      GraphLayer layer = network.layers().get(l);
      long elements =
          size.sources() * (l == 0 && sparse ? 0 : layer.in())
              + rows * (long) layer.out()
              + layer.keptElements(size)
              + layer.sharedElements(size, Backward.NONE);
      widest = Math.max(widest, elements * Float.BYTES);
    }
    return LayerwiseInference.buffers(network, own).bytes()
        + widest
        + CsrMatrix.bytes(rows, entries, true)
        + WholeNeighbourhoods.bytes(dataset.vertices());
  }

  /// The vertices that a loss is taken of, ascending.
  static int[] trainingVertices(GraphData dataset) {
    return labelled(dataset, Split.TRAIN);
  }

  /// The labelled vertices of a part, ascending.
  static int[] labelled(GraphData dataset, Split part) {
    return IntStream.range(0, dataset.vertices())
        .filter(v -> dataset.isLabelled(v, part))
        .toArray();
  }
}
