package dev.gossamer.gnn.inference;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.hop.HopMemory;
import dev.gossamer.gnn.hop.HopPlan;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.objective.TargetObjective;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.sampling.SamplingMemory;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.WholeNeighbourhoods;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.gnn.stack.FeaturedEdges;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.StackBounds;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.LayerHalves;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.GrowingSegment;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntToLongFunction;

/// The plan of prediction with a network on a graph, from sizes and degrees alone.
///
/// @param data what is predicted on
/// @param settings the shape of the network
/// @param network its layers, in the order of products that suits blocks
/// @param degrees entries of each row of `Â`
/// @param tiles vertices that consecutive rows refer to
/// @param hops memory of those of the features, if the network reads them
/// @param rowsAtATime vertices per row block
/// @param inputOnce whether the first layer, of two halves ([GraphLayer#halves]), reads the
///   features once, in the order of their file, and aggregates the transformed rows
public record InferencePlan(
    GraphData data,
    NetworkSettings settings,
    Network network,
    Degrees degrees,
    RowTiles tiles,
    HopMemory hops,
    int rowsAtATime,
    boolean inputOnce) {
  /// Line of the estimate: memory that is free again when all rows are computed.
  public static final String LAYERS = "layers";

  /// Names of the buffers of the outputs of layers, which take turns.
  static final List<String> OUTPUTS = List.of("evaluation, odd", "evaluation, even");

  /// Name of the buffer of the rows that layers leave for later ones.
  static final String CARRIED = "evaluation, carried";

  /// Bytes that the inputs of a few rows may take, about.
  private static final long ROWS_BYTES = 64L << 20;

  /// Position, column and two weights of an entry that is drawn, in Java arrays.
  private static final long DRAWN_BYTES = 2L * Integer.BYTES + 2L * Float.BYTES;

  /// What is known of each vertex of a rank: its number, what is predicted, its class, and its row
  /// in a part.
  private static final long VERTEX_BYTES = 4L * Integer.BYTES;

  /// Arrays of a block and of the fetch of its rows, a number of each for a source: its vertex and
  /// scale, its place in the order of vertices, among own, cached and remote rows, and in the
  /// batch.
  private static final long SOURCE_BYTES = 16L * Integer.BYTES;

  /// Fewer rows at a time are not worth a pass.
  private static final int LEAST_ROWS = 256;

  /// Plans a prediction. Cost: a pass over the entries of a directed graph.
  ///
  /// @param data what is predicted on
  /// @param settings shape of the network
  /// @param classes outputs of the network
  /// @return the plan
  public static InferencePlan of(GraphData data, NetworkSettings settings, int classes) {
    Features input = settings.input(data.features());
    boolean sparse = input instanceof Features.Sparse;
    int width = input.width();
    Network network =
        Network.of(
            settings,
            data.features().width(),
            classes,
            (l, in, out) ->
                l == 0 && sparse && !settings.projectsFirst()
                    ? Order.TRANSFORM_FIRST
                    : Order.AGGREGATE_AND_KEEP);
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
    boolean inputOnce = settings.projectsFirst() || largeFile(data, settings, network);
    return new InferencePlan(
        data,
        settings,
        network,
        degrees,
        new RowTiles(data.adjacency()),
        new HopMemory(data, settings),
        rows,
        inputOnce);
  }

  /// Whether the features are in a file larger than memory, and the first layer can read them once.
  private static boolean largeFile(GraphData data, NetworkSettings settings, Network network) {
    return settings.seesGraph()
        && network.layers().getFirst().halves() != null
        && data.features() instanceof Features.Dense x
        && LayerwiseInference.isLargeFile(x);
  }

  /// {@return the width of the rows that are fetched for a layer: its input, or what the first
  /// layer makes of it before it aggregates}
  ///
  /// @param l number of the layer, from 0
  public int fetchedWidth(int l) {
    GraphLayer layer = network.layers().get(l);
    LayerHalves halves = layer.halves();
    return l == 0 && inputOnce && halves != null ? halves.transformedWidth() : layer.in();
  }

  /// {@return a copy with another way to read features}
  ///
  /// @param once whether the first layer reads them once
  public InferencePlan withInputOnce(boolean once) {
    return new InferencePlan(data, settings, network, degrees, tiles, hops, rowsAtATime, once);
  }

  /// {@return the buffers with one row per vertex of a rank's block: the outputs of two consecutive
  /// layers, and what layers leave for later ones}
  ///
  /// @param own vertices of the rank
  BufferPlan buffers(long own) {
    List<GraphLayer> layers = network.layers();
    int[] widest = new int[2];
    for (int l = 0; l < layers.size(); l++) {
      widest[l % 2] = Math.max(widest[l % 2], layers.get(l).out());
    }
    if (inputOnce) {
      widest[1] = Math.max(widest[1], fetchedWidth(0));
    }
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    buffers.add(new BufferPlan.Buffer(OUTPUTS.getFirst(), own, widest[0]));
    if (widest[1] > 0) {
      buffers.add(new BufferPlan.Buffer(OUTPUTS.getLast(), own, widest[1]));
    }
    if (network.carriedWidth() > 0) {
      buffers.add(new BufferPlan.Buffer(CARRIED, own, network.carriedWidth()));
    }
    return new BufferPlan(buffers);
  }

  /// {@return whether the layers compute weighted sums, so that neighbours must be sampled from
  /// each row of `Â`; a mean of sampled neighbours only estimates a mean}
  public boolean sumsWeights() {
    LayerKind kind = settings.kind();
    return kind.sight().sums()
        && (settings.normalisation() != Normalisation.ROW_MEAN
            || (kind.weighsEdges() && data.adjacency().values() != null));
  }

  /// {@return bytes of prediction with all neighbours on one rank, besides the buffers of its
  /// passes ([#passBuffers]): the outputs of two layers, and a row block with its neighbourhood}
  ///
  /// @param placement of the vertices in a block for each rank, or for several ranks
  /// @param block of the rank
  public long bytes(Placement placement, int block) {
    return bytes(placement, block, Sample.ALL);
  }

  /// {@return the buffers of the passes over a row block}
  ///
  /// @param placement of the vertices
  /// @param block of the rank
  public List<BufferPlan.Buffer> passBuffers(Placement placement, int block) {
    return passBuffers(placement, block, Sample.ALL);
  }

  /// The neighbours that count.
  ///
  /// @param perRow entries of a row that are looked at, at most
  /// @param perEntry bytes that choosing an entry takes
  private record Sample(long perRow, long perEntry) {
    static final Sample ALL = new Sample(Integer.MAX_VALUE, 0);
  }

  private List<BufferPlan.Buffer> passBuffers(Placement placement, int block, Sample sample) {
    // The second half of a layer that looks at edges has rows of its own for the sources.
    boolean targetsOnly = inputOnce && !settings.seesEdges();
    return StackBounds.layerwiseBuffers(network, size(placement, block, sample), targetsOnly);
  }

  /// {@return number of vertices of other blocks that the rows of a block refer to}
  ///
  /// @param placement of the vertices
  /// @param block of a rank
  public long halo(Placement placement, int block) {
    return tiles.largest(placement, Integer.MAX_VALUE).get(block).remote();
  }

  /// {@return upper bound of the entries of `Â` in the rows of a block}
  ///
  /// @param placement of the vertices
  /// @param block of a rank
  public long entries(Placement placement, int block) {
    return !settings.seesGraph()
        ? 0
        : tiles.largest(placement, Integer.MAX_VALUE).get(block).entries()
            + (settings.selfLoops() ? placement.distribution().count(block) : 0);
  }

  private RowTiles.Tile tile(Placement placement, int block) {
    return tiles.largest(placement, rowsAtATime).get(block);
  }

  /// The passes through the largest tile of a block.
  private PassSize size(Placement placement, int block, Sample sample) {
    long rows = Math.min(rowsAtATime, placement.distribution().count(block));
    if (!settings.seesGraph()) {
      return new PassSize(rows, rows, 0);
    }
    RowTiles.Tile tile = tile(placement, block);
    long loops = settings.selfLoops() ? rows : 0;
    long entries = Math.min(tile.entries() + loops, rows * sample.perRow());
    return new PassSize(Math.min(tile.sources(), rows + entries), rows, entries);
  }

  private long bytes(Placement placement, int block, Sample sample) {
    boolean alone = placement.distribution().blocks() == 1;
    boolean inPlace = alone && sample.perEntry() == 0 && !settings.seesEdges();
    PassSize size = size(placement, block, sample);
    boolean sparse = settings.input(data.features()) instanceof Features.Sparse && !inputOnce;
    long remote = alone ? 0 : Math.min(tile(placement, block).remote(), size.edges());
    long fetched = 0;
    long travelling =
        inputOnce
            ? 2 * DenseMatrix.bytes(remote, fetchedWidth(0))
            : FetchedRows.travellingBytes(data.features(), remote, RowFormat.FLOAT32);
    for (int l = 0; l < network.layers().size(); l++) {
      int width = fetchedWidth(l);
      boolean dense = l > 0 || !sparse;
      if (dense && !inPlace) {
        fetched = Math.max(fetched, DenseMatrix.bytes(size.sources(), width));
      }
      travelling += l > 0 ? 2 * DenseMatrix.bytes(remote, width) : 0;
    }
    if (sparse) {
      fetched += FetchedRows.bytes(data.features(), size.sources());
    }
    if (!settings.seesGraph()) {
      fetched = 0;
      travelling = 0;
    }
    long own = placement.distribution().count(block);
    return buffers(own).bytes()
        + GrowingSegment.bytesAtMost(fetched + travelling)
        + blockBytes(size, inPlace && !sparse)
        + size.edges() * sample.perEntry()
        + FeaturedEdges.bytes(settings, size.edges())
        + own * VERTEX_BYTES;
  }

  /// A few rows of `Â` as products take them: where they are in place, their pointers, else copies
  /// with the numbers of the block, and the vertex of each source.
  private long blockBytes(PassSize size, boolean inPlace) {
    long products = Spmm.bytesAtMost(size.targets(), size.edges(), true, size.sources());
    boolean weighted = data.adjacency().values() != null;
    long entries = inPlace ? 0 : size.edges();
    long copy = CsrMatrix.bytes(size.targets(), entries, weighted) + size.sources() * SOURCE_BYTES;
    return products
        + (inPlace ? size.targets() * Long.BYTES : copy)
        + WholeNeighbourhoods.bytes(data.vertices(), entries, weighted);
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
    Placement placement = Placement.block(data.vertices(), ranks);
    Sample sample =
        neighbours.isEmpty()
            ? Sample.ALL
            : new Sample(1L + Collections.max(neighbours), DRAWN_BYTES);
    IntToLongFunction ofBlock =
        neighbours.isEmpty() || sumsWeights()
            ? block ->
                bytes(placement, block, sample)
                    + GrowingSegment.bytesAtMost(
                        new BufferPlan(passBuffers(placement, block, sample)).bytes())
            : block -> sampledBytes(placement.distribution().count(block), threads, neighbours);
    MemoryEstimate predicting =
        MemoryEstimate.builder()
            .add("Java runtime", MemoryEstimate.runtimeBytes(processRanks, threads))
            .add("graph", data.graphSegments())
            .add("features", data.features().segments())
            .add("labels and split", n * (3L * Integer.BYTES + 1))
            .add("targets", data.targetSegments())
            .add("edges and pairs", RankLinks.bytes(data, settings.decoder(), processRanks, ranks))
            .add("scores", TargetObjective.scoreBytes(data, processRanks, threads))
            .add("normalised graph", p * settings.propagationBytes(data))
            .add(
                HopPlan.KEPT,
                MemoryEstimate.ofProcess(
                    ranks,
                    ranks,
                    processRanks,
                    block -> hops.keptBytes(placement.distribution().count(block))))
            .add(LAYERS, MemoryEstimate.ofProcess(ranks, ranks, processRanks, ofBlock))
            .add("parameters", p * DenseState.bytes(network.layout()))
            .add("thread scratch", p * Workers.bytes(threads))
            .build();
    ExchangeStrategy strategy = RankShare.Division.DEFAULT.strategy();
    long computing =
        MemoryEstimate.ofProcess(
            ranks, ranks, processRanks, block -> hops.workingBytes(placement, strategy, block));
    // The layers' memory is allocated when the hops are there.
    return predicting.with(HopPlan.COMPUTING, Math.max(0, computing - predicting.bytes(LAYERS)));
  }

  /// Bytes of predicting with some neighbours on one rank: a batch of
  /// [SampledInference#BATCH_SIZE].
  private long sampledBytes(long own, int threads, List<Integer> neighbours) {
    SageSampler sampler = new SageSampler(neighbours);
    List<BlockBound> blocks = sampler.blocks(degrees, SampledInference.BATCH_SIZE);
    SamplingMemory sampling = sampler.memory(degrees, blocks);
    List<PassSize> sizes =
        blocks.stream()
            .map(block ->
                new PassSize(block.sources(), block.targets(), block.entries() + block.targets()))
            .toList();
    long elements = sizes.getFirst().sources() * data.features().width();
    if (settings.seesRelations()) {
      // The set of each drawn edge.
      elements += sizes.stream().mapToLong(PassSize::edges).sum();
    }
    elements += network.carriedRows(sizes) * network.carriedWidth();
    long shared = 0;
    for (int l = 0; l < sizes.size(); l++) {
      GraphLayer layer = network.layers().get(l);
      PassSize size = sizes.get(l);
      elements += size.targets() * layer.out();
      elements += layer.keptElements(size);
      shared = Math.max(shared, layer.sharedElements(size, Backward.NONE));
    }
    long logits = own * network.layers().getLast().out();
    long ofEdges =
        sizes.stream().mapToLong(size -> FeaturedEdges.bytes(settings, size.edges())).sum();
    return (elements + shared + logits) * Float.BYTES
        + ofEdges
        + sampling.bytesKept(threads)
        + sampling.bytesOfBulks(1, 1, threads);
  }
}
