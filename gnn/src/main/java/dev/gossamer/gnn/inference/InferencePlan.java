package dev.gossamer.gnn.inference;

import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.sampling.Degrees;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.sampling.SamplingMemory;
import dev.gossamer.gnn.sampling.WholeNeighbourhoods;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.Backward;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.LinearLayer;
import dev.gossamer.nn.Order;
import dev.gossamer.nn.PassSize;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What predicting with a network on a graph consists of, decided from sizes and degrees alone.
///
/// @param data what is predicted on
/// @param settings the shape of the network
/// @param network its layers, in the order of products that suits blocks
/// @param degrees entries of each row of `Â`
/// @param tiles what consecutive rows refer to; null if `Â` is not the stored matrix
/// @param rowsAtATime vertices whose neighbourhoods are computed at a time
/// @param inputOnce whether the first layer, a [LinearLayer], goes over the features once, in the
///   order of their file, and aggregates what it has made of them
public record InferencePlan(
    GraphData data,
    NetworkSettings settings,
    Network network,
    Degrees degrees,
    @Nullable Tiles tiles,
    int rowsAtATime,
    boolean inputOnce) {
  /// Bytes that the inputs of a few rows may take, about.
  private static final long ROWS_BYTES = 64L << 20;

  /// Position, column and two weights of an entry that is drawn, in Java arrays.
  private static final long DRAWN_BYTES = 2L * Integer.BYTES + 2L * Float.BYTES;

  /// Fewer rows at a time are not worth a pass.
  private static final int LEAST_ROWS = 256;

  /// Plans. Cost: a pass over the entries of a directed graph.
  ///
  /// @param data what is predicted on
  /// @param settings shape of the network
  /// @param classes outputs of the network
  /// @return the plan
  public static InferencePlan of(GraphData data, NetworkSettings settings, int classes) {
    boolean sparse = data.features() instanceof Features.Sparse;
    int width = data.features().width();
    Network network =
        Network.of(
            settings,
            width,
            classes,
            (l, in, out) -> l == 0 && sparse ? Order.TRANSFORM_FIRST : Order.AGGREGATE_AND_KEEP);
    Degrees degrees = new Degrees(settings.propagation(data).rowLengths(), !data.info().directed());
    int widest =
        Math.max(
            sparse ? 1 : width,
            network.layers().stream().mapToInt(GraphLayer::out).max().orElse(1));
    long neighbours = 1 + degrees.sum() / Math.max(1, data.vertices());
    int perEdge = settings.kind().numbersPerEdge();
    // A layer that looks at edges has a few numbers for each, and transforms all sources: the more
    // rows at a time, the fewer sources are transformed twice.
    long rowBytes =
        perEdge == 0
            ? neighbours * widest * Float.BYTES
            : (neighbours * perEdge + widest) * Float.BYTES;
    int rows = Math.clamp(ROWS_BYTES / rowBytes, LEAST_ROWS, 1 << 20);
    boolean inputOnce =
        settings.seesGraph()
            && network.layers().getFirst() instanceof LinearLayer
            && data.features() instanceof Features.Dense x
            && LayerwiseInference.isLargeFile(x);
    Tiles tiles = data.info().directed() ? null : new Tiles(data.adjacency());
    return new InferencePlan(data, settings, network, degrees, tiles, rows, inputOnce);
  }

  /// {@return the same with the features read in another way}
  ///
  /// @param once whether the first layer goes over them once
  public InferencePlan withInputOnce(boolean once) {
    return new InferencePlan(data, settings, network, degrees, tiles, rowsAtATime, once);
  }

  /// {@return what is there for each vertex of a rank's block: the outputs of a layer and of the
  /// one before it, by turns}
  ///
  /// @param own vertices of the rank
  BufferPlan buffers(long own) {
    List<GraphLayer> layers = network.layers();
    int[] widest = new int[2];
    for (int l = 0; l < layers.size(); l++) {
      widest[l % 2] = Math.max(widest[l % 2], layers.get(l).out());
    }
    if (inputOnce) {
      widest[1] = Math.max(widest[1], layers.getFirst().out());
    }
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    buffers.add(new BufferPlan.Buffer("evaluation, odd", own, widest[0]));
    if (widest[1] > 0) {
      buffers.add(new BufferPlan.Buffer("evaluation, even", own, widest[1]));
    }
    return new BufferPlan(buffers);
  }

  /// {@return whether the layers' sums have weights, so that a sample of neighbours must be drawn
  /// from each row of `Â`; a mean of sampled neighbours estimates nothing but a mean}
  public boolean sumsWeights() {
    LayerKind kind = settings.kind();
    return kind.sight() == LayerKind.Sight.ROWS
        && (settings.normalisation() != Normalisation.ROW_MEAN
            || (kind.weighsEdges() && data.adjacency().values() != null));
  }

  /// {@return bytes of predicting with all neighbours on one rank: two layers' outputs for its
  /// vertices, and what a few rows and their neighbourhoods take}
  ///
  /// @param own vertices of the rank
  /// @param blocks that all vertices are divided into evenly, in their order; 0 if otherwise
  public long bytes(long own, int blocks) {
    return bytes(own, blocks, degrees.largest(), 0);
  }

  /// @param perRow entries of a row that are looked at, at most
  /// @param perEntry bytes that choosing an entry takes
  private long bytes(long own, int blocks, long perRow, long perEntry) {
    long n = data.vertices();
    int rows = (int) Math.min(rowsAtATime, Math.max(1, own));
    long entries = Math.min(degrees.largestSum(rows), rows * perRow);
    long sources = Math.min(n, rows + entries);
    if (tiles != null && blocks > 0) {
      sources = Math.min(sources, tiles.sourcesAtMost(blocks, rowsAtATime));
    }
    PassSize size = new PassSize(sources, rows, entries);
    boolean sparse = data.features() instanceof Features.Sparse;
    long widest = 0;
    for (int l = 0; l < network.layers().size(); l++) {
      GraphLayer layer = network.layers().get(l);
      long elements =
          size.sources() * (l > 0 ? layer.in() : inputOnce ? layer.out() : sparse ? 0 : layer.in())
              + rows * (long) layer.out()
              + layer.keptElements(size)
              + layer.sharedElements(size, Backward.NONE);
      widest = Math.max(widest, elements * Float.BYTES);
    }
    return buffers(own).bytes()
        + widest
        + (own < n ? fetchedBytes(sources, sources - rows) : 0)
        + CsrMatrix.bytes(rows, entries, true)
        + entries * perEntry
        + WholeNeighbourhoods.bytes(data.vertices());
  }

  /// Sparse features of a few rows' sources, and what is packed for other ranks and has arrived
  /// from them, for each layer's inputs.
  private long fetchedBytes(long sources, long remote) {
    long bytes = FetchedRows.travellingBytes(data.features(), remote, RowFormat.FLOAT32);
    if (data.features() instanceof Features.Sparse) {
      bytes += FetchedRows.bytes(data.features(), sources);
    }
    for (GraphLayer layer : network.layers().subList(1, network.layers().size())) {
      bytes += 2 * remote * layer.in() * Float.BYTES;
    }
    return bytes;
  }

  /// {@return the memory of a process that predicts}
  ///
  /// @param ranks of the run
  /// @param processRanks ranks that the process runs
  /// @param threads of each rank
  /// @param neighbours of each layer; empty for all
  public MemoryEstimate memory(int ranks, int processRanks, int threads, List<Integer> neighbours) {
    long n = data.vertices();
    long p = processRanks;
    Propagation propagation = settings.propagation(data);
    long own = Math.ceilDiv(n, (long) ranks);
    return MemoryEstimate.builder()
        .add("Java runtime", MemoryEstimate.runtimeBytes(processRanks, threads))
        .add("graph", data.adjacency().segments())
        .add("features", data.features().segments())
        .add("labels and split", n * (3L * Integer.BYTES + 1))
        .add("normalised graph", p * (settings.seesGraph() ? propagation.bytes() : 0))
        .add(
            "layers",
            p
                * (neighbours.isEmpty()
                    ? bytes(own, ranks)
                    : sumsWeights()
                        ? bytes(own, ranks, 1L + Collections.max(neighbours), DRAWN_BYTES)
                        : sampledBytes(own, threads, neighbours)))
        .add("parameters", p * DenseState.bytes(network.layout()))
        .add("thread scratch", p * Workers.bytes(threads))
        .build();
  }

  /// Bytes of predicting with some neighbours on one rank: a batch of
  /// [SampledInference#BATCH_SIZE].
  private long sampledBytes(long own, int threads, List<Integer> neighbours) {
    SageSampler sampler = new SageSampler(neighbours);
    SamplingMemory sampling = sampler.memory(degrees, SampledInference.BATCH_SIZE);
    List<PassSize> sizes =
        sampler.blocks(degrees, SampledInference.BATCH_SIZE).stream()
            .map(block ->
                new PassSize(block.sources(), block.targets(), block.entries() + block.targets()))
            .toList();
    long elements = sizes.getFirst().sources() * data.features().width();
    long shared = 0;
    for (int l = 0; l < sizes.size(); l++) {
      GraphLayer layer = network.layers().get(l);
      PassSize size = sizes.get(l);
      elements += size.targets() * layer.out() + layer.keptElements(size);
      shared = Math.max(shared, layer.sharedElements(size, Backward.NONE));
    }
    long logits = own * network.layers().getLast().out();
    return (elements + shared + logits) * Float.BYTES
        + sampling.bytesKept(threads)
        + sampling.bytesOfBulk(1, threads);
  }
}
