package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.inference.LayerwiseInference;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.StackBounds;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.historical.HistoricalEmbeddings;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.Sampler;
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
import java.util.Arrays;
import java.util.Collections;
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
    NetworkTraining training,
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

  /// Entries of the rows of `Â`.
  static final class Degrees {
    private final int[] ofRows;

    Degrees(int[] ofRows) {
      this.ofRows = ofRows;
    }

    long sum() {
      return Arrays.stream(ofRows).asLongStream().sum();
    }

    int largest() {
      return Arrays.stream(ofRows).max().orElse(0);
    }

    /// Most entries of so many rows.
    long sumOfLargest(long rows) {
      int[] ascending = ofRows.clone();
      Arrays.sort(ascending);
      int from = (int) Math.max(0, ofRows.length - rows);
      return Arrays.stream(ascending, from, ofRows.length).asLongStream().sum();
    }

    /// Most entries of so many rows in a row.
    long largestSum(int rows) {
      long sum = 0;
      long largest = 0;
      for (int v = 0; v < ofRows.length; v++) {
        sum += ofRows[v] - (v < rows ? 0 : ofRows[v - rows]);
        largest = Math.max(largest, sum);
      }
      return largest;
    }
  }

  /// Plans for some ranks. Cost: a pass over the entries of a directed graph.
  public static MinibatchPlan of(GraphData dataset, NetworkTraining training, int ranks) {
    NetworkSettings settings = training.network();
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
    int perEdge = settings.kind().numbersPerEdge();
    // A layer that looks at edges has a few numbers for each, and transforms all sources: the more
    // rows at a time, the fewer sources are transformed twice.
    long rowBytes =
        perEdge == 0
            ? neighbours * widest * Float.BYTES
            : (neighbours * perEdge + widest) * Float.BYTES;
    int rows = Math.clamp(EVALUATION_BYTES / rowBytes, LEAST_ROWS, 1 << 20);
    return new MinibatchPlan(dataset, training, network, ranks, degrees, rows);
  }

  /// The size of a block, at most.
  ///
  /// @param drawn edges of a target, and its own
  private PassSize block(long sources, long targets, long drawn) {
    long edges =
        training.network().seesEdges() ? Math.min(degrees.sumOfLargest(targets), targets * drawn) : 0;
    return new PassSize(sources, targets, edges);
  }

  /// The blocks of the largest batch, in the order of a forward pass.
  private List<PassSize> blocks(Sampler sampler, int batchSize) {
    long n = dataset.vertices();
    return switch (sampler) {
      case Sampler.Sage sage -> {
        List<PassSize> blocks = new ArrayList<>();
        long rows = Math.min(n, batchSize);
        for (int s : sage.fanouts()) {
          long drawn = 1L + Math.min(s, degrees.largest());
          long sources = Math.min(n, rows * drawn);
          blocks.addFirst(block(sources, rows, drawn));
          rows = sources;
        }
        yield blocks;
      }
      case Sampler.Ladies ladies -> layerWise(ladies.sizes(), batchSize);
      case Sampler.FastGcn fastGcn -> layerWise(fastGcn.sizes(), batchSize);
      case Sampler.SaintNode node -> subgraph(node.layers(), node.draws());
      case Sampler.SaintEdge edge -> subgraph(edge.layers(), 2L * edge.draws());
      case Sampler.SaintWalk walk -> subgraph(walk.layers(), (walk.length() + 1L) * walk.roots());
    };
  }

  private List<PassSize> layerWise(List<Integer> sizes, int batchSize) {
    List<PassSize> blocks = new ArrayList<>();
    long rows = Math.min(dataset.vertices(), batchSize);
    for (int s : sizes) {
      long sources = Math.min(dataset.vertices(), rows + s);
      blocks.addFirst(block(sources, rows, sources));
      rows = sources;
    }
    return blocks;
  }

  private List<PassSize> subgraph(int layers, long visited) {
    long rows = Math.min(dataset.vertices(), visited);
    return Collections.nCopies(layers, block(rows, rows, rows));
  }

  /// What the largest batch needs at most; memory is taken as batches come that need it.
  public BufferPlan buffers(MinibatchSettings minibatch) {
    List<PassSize> blocks = blocks(minibatch.sampler(), minibatch.batchSize());
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    if (dataset.features() instanceof Features.Dense dense) {
      long inputs = (minibatch.ahead() ? 2 : 1) * blocks.getFirst().sources();
      buffers.add(new BufferPlan.Buffer("inputs", inputs, dense.width()));
    }
    buffers.addAll(StackBounds.buffers(network, blocks));
    return new BufferPlan(buffers);
  }

  /// The largest bulk whose run is within a limit, at most an epoch's batches of a rank, or an
  /// eighth of them if bulks are drawn ahead; 1 if even that is not.
  ///
  /// @param limit bytes that the process may take
  public int largestBulk(
      MinibatchSettings minibatch, int threads, int processRanks, long limit) {
    int trained = RankShare.labelled(dataset, Split.TRAIN).length;
    int batches = minibatch.batches(dataset.vertices(), trained);
    int turns = Math.ceilDiv(batches, ranks);
    int most = minibatch.ahead() ? Math.ceilDiv(turns, BULKS_AHEAD) : turns;
    return MemoryEstimate.largestFitting(
        2, most, limit, k -> memory(minibatch.withBulk(k), threads, processRanks).bytes());
  }

  /// The memory of a process.
  ///
  /// @param threads of each rank
  /// @param processRanks ranks that the process runs
  public MemoryEstimate memory(MinibatchSettings minibatch, int threads, int processRanks) {
    CsrMatrix a = dataset.adjacency();
    long n = dataset.vertices();
    long p = processRanks;
    int blocksOfRows = Math.max(1, ranks / minibatch.replication());
    long own = Math.ceilDiv(n, blocksOfRows);
    Propagation propagation = training.network().propagation(dataset);
    long block = propagation.bytes() / blocksOfRows + 16 * n;
    boolean whole = !minibatch.partitioned() && !minibatch.samplesOwnRowsOnly();
    long graph = (minibatch.holdsBlock() ? block : 0) + (whole ? propagation.bytes() : 0);
    long bulks = minibatch.ahead() ? 3 : 1;
    long bulk =
        BulkSampler.bytes(
            minibatch.sampler(), degrees.ofRows, threads, minibatch.bulk(), minibatch.batchSize());
    int samplers = minibatch.ahead() ? 2 : 1;
    return MemoryEstimate.builder()
        .add("Java runtime", MemoryEstimate.RUNTIME_BYTES)
        .add("graph", CsrMatrix.bytes(a.rows(), a.nnz(), a.values() != null))
        .add("features", FeatureSource.residentBytes(dataset.features()))
        .add("labels and split", n * (3L * Integer.BYTES + 1))
        .add("normalised graph", p * graph)
        .add("sampled bulks", p * bulks * bulk)
        .add("buffers of a batch", p * buffers(minibatch).bytes())
        .add("evaluation", p * evaluationBytes(own))
        .add("feature cache", p * minibatch.cacheBytes())
        .add("historical embeddings", p * historicalBytes(minibatch, own, blocksOfRows))
        .add("parameters and optimizer", p * network.stateBytes(training.rule()))
        .add("thread scratch", p * samplers * Workers.bytes(threads))
        .build();
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
}
