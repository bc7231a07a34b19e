package dev.gossamer.gnn.fullgraph;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.DistributedEdges;
import dev.gossamer.exchange.DistributedSpmm;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.ExchangeVolume;
import dev.gossamer.exchange.ExchangeWidth;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.TileBalance;
import dev.gossamer.gnn.fullgraph.GraphProducts.Input;
import dev.gossamer.gnn.hop.HopPlan;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.objective.TargetObjective;
import dev.gossamer.gnn.stack.FeaturedEdges;
import dev.gossamer.gnn.stack.NetworkInput;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.DroppedSpmm;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.LayerProduct;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/// The traffic and memory of distributed full-graph training, computed from sizes, the pattern and
/// the placement without running ranks.
///
/// @param graph with the placement
/// @param products how products by the graph are computed
/// @param forward traffic of the product by `Â`
/// @param backward traffic of the product by `Â^T`
/// @param obliviousRows rows that the oblivious exchange would send in a product
/// @param balance entries of each rank's tiles
public record RankPlan(
    PlacedGraph graph,
    GraphProducts products,
    ExchangeVolume forward,
    ExchangeVolume backward,
    long obliviousRows,
    TileBalance balance) {
  /// Bytes that a network moves in the time that a message takes besides.
  private static final long MESSAGE_BYTES = 32 << 10;

  /// Plans the ranks. Cost: a few passes over the graph.
  ///
  /// @param graph placed in the number of blocks of the strategy
  /// @param strategy which rows are exchanged, and how
  /// @return the plan with the usual products
  public static RankPlan of(PlacedGraph graph, ExchangeStrategy strategy) {
    GraphData dataset = graph.data();
    Placement placement = graph.placement();
    CsrMatrix a = dataset.adjacency();
    Kind kind = strategy.kind();
    int c = strategy.replication();
    boolean directed = dataset.info().directed();
    ExchangeVolume forward =
        ExchangeVolume.forward(a, directed, placement, kind, c).in(strategy.wire());
    ExchangeVolume backward =
        directed ? ExchangeVolume.of(a, placement, kind, c).in(strategy.wire()) : forward;
    long oblivious = ExchangeVolume.of(a, placement, Kind.OBLIVIOUS, c).rows();
    return new RankPlan(
        graph,
        GraphProducts.usual(strategy),
        forward,
        backward,
        oblivious,
        TileBalance.of(a, placement));
  }

  /// {@return the same ranks with other products}
  ///
  /// @param other of the same strategy
  public RankPlan with(GraphProducts other) {
    ExchangeVolume ahead = forward.inBlocksOf(other.columns());
    ExchangeVolume back = backward == forward ? ahead : backward.inBlocksOf(other.columns());
    return new RankPlan(graph, other, ahead, back, obliviousRows, balance);
  }

  /// {@return this plan if it fits; otherwise, of those that fit, the one with the least traffic
  /// per epoch; if none fits, the smallest}
  ///
  /// The first layer's product may be recomputed instead of stored, and remote rows may be
  /// exchanged in blocks of columns: the fewest that fit, of even widths.
  ///
  /// @param limit maximum bytes
  /// @param settings shape of the network
  /// @param bytes of a plan
  public RankPlan within(long limit, NetworkSettings settings, ToLongFunction<RankPlan> bytes) {
    if (bytes.applyAsLong(this) <= limit) {
      return this;
    }
    List<RankPlan> fitting = new ArrayList<>();
    List<RankPlan> least = new ArrayList<>();
    for (Input input : Input.values()) {
      RankPlan plan = with(products.withInput(input));
      int usual = plan.width(settings).atOnce();
      least.add(plan.with(plan.products.withColumns(1)));
      if (bytes.applyAsLong(least.getLast()) <= limit) {
        int most =
            MemoryEstimate.largestFitting(
                1, usual, limit, c -> bytes.applyAsLong(plan.with(plan.products.withColumns(c))));
        int even = Math.ceilDiv(usual, Math.ceilDiv(usual, most));
        fitting.add(most == usual ? plan : plan.with(plan.products.withColumns(even)));
      }
    }
    return fitting.stream()
        .min(Comparator.comparingLong(plan -> plan.movedBytes(settings)))
        .orElseGet(() -> least.stream().min(Comparator.comparingLong(bytes)).orElseThrow());
  }

  /// Bytes of an epoch's products by the graph: rows that entries refer to, the entries themselves
  /// for each block of columns, and what travels.
  private long movedBytes(NetworkSettings settings) {
    long moved = 0;
    List<GraphLayer> layers = network(0, settings).network().layers();
    for (int l = 0; l < layers.size(); l++) {
      for (LayerProduct product :
          layers.get(l).products(l > 0 ? Backward.INPUT : Backward.PARAMETERS)) {
        switch (product) {
          case LayerProduct.Aggregated rows ->
              moved += movedBytes(rows.backward() ? backward : forward, rows.width());
          case LayerProduct.Attended rows ->
              moved += movedBytes(forward, rows.width()) + movedBytes(backward, rows.width());
          case LayerProduct.AlongEdges rows -> {
            moved += movedBytes(forward, rows.width());
            moved += rows.returns() ? movedBytes(backward, rows.width()) : 0;
          }
          default -> {}
        }
      }
    }
    return moved;
  }

  private long movedBytes(ExchangeVolume volume, int width) {
    long blocks = isWhole() ? 1 : Math.ceilDiv(width, products.columns());
    long entry = Integer.BYTES * blocks + (long) Float.BYTES * width;
    return dataset().adjacency().nnz() * entry
        + volume.totalBytes(width)
        + volume.totalMessages(width) * MESSAGE_BYTES;
  }

  /// Returns the width of exchanged rows.
  private ExchangeWidth width(NetworkSettings settings) {
    return network(0, settings).exchangeWidth(products.columns());
  }

  /// {@return columns of remote rows that a rank holds at a time in an epoch; 0 if it holds none}
  ///
  /// @param settings shape of the network
  public int columnsAtOnce(NetworkSettings settings) {
    return exchanges(settings) ? width(settings).atOnce() : 0;
  }

  private boolean exchanges(NetworkSettings settings) {
    return settings.seesGraph() && !isWhole();
  }

  /// {@return which rows are exchanged, and how}
  public ExchangeStrategy strategy() {
    return products.strategy();
  }

  /// Refuses strategies with which a network cannot be trained.
  ///
  /// @param strategy which rows are exchanged, and how
  /// @param settings shape of the network
  /// @throws dev.gossamer.base.InvalidSettingException if its layers read edges, and rows are sent
  ///   in parts
  public static void requireEdges(ExchangeStrategy strategy, NetworkSettings settings) {
    if (settings.seesEdges()) {
      GraphViews.requireEdges(strategy, settings);
    }
  }

  private GraphData dataset() {
    return graph.data();
  }

  /// {@return the placement of the vertices}
  public Placement placement() {
    return graph.placement();
  }

  /// {@return `p`}
  public int ranks() {
    return forward.ranks();
  }

  /// {@return layers and buffers of a rank}
  ///
  /// @param rank number of the rank
  /// @param settings shape of the network
  public NetworkPlan network(int rank, NetworkSettings settings) {
    return NetworkPlan.of(
        dataset().features(),
        size(rank, settings),
        dataset().outputs(),
        settings,
        products.input());
  }

  /// The size of a rank's passes, its edges at most.
  private PassSize size(int rank, NetworkSettings settings) {
    long own = placement().distribution().count(block(rank));
    return settings.seesEdges()
        ? new PassSize(own + forward.rowsReceived(rank), own, edges(rank))
        : new PassSize(own, own, 0);
  }

  /// Entries of a rank's block row of `Â` with self loops, at most.
  private long edges(int rank) {
    return balance.entries(block(rank)) + placement().distribution().count(block(rank));
  }

  /// {@return the exchange buffers of a rank; none in a network that ignores the graph}
  ///
  /// @param rank number of the rank
  /// @param settings shape of the network
  public BufferPlan exchangeBuffers(int rank, NetworkSettings settings) {
    if (!exchanges(settings)) {
      return new BufferPlan(List.of());
    }
    ExchangeWidth width = width(settings);
    if (settings.seesEdges()) {
      return DistributedEdges.plannedBuffers(forward, strategy().wire(), rank, width.widest());
    }
    return DistributedSpmm.plannedBuffers(forward, backward, strategy(), rank, width);
  }

  /// {@return the rank with the largest buffers}
  ///
  /// @param settings shape of the network
  public int fullestRank(NetworkSettings settings) {
    return IntStream.range(0, ranks())
        .boxed()
        .max(
            Comparator.comparingLong(
                r -> network(r, settings).buffers().bytes() + exchangeBuffers(r, settings).bytes()))
        .orElse(0);
  }

  /// {@return the memory of a process that runs all ranks as threads}
  ///
  /// @param settings shape of the network
  /// @param rule of the optimizer
  /// @param threads of each rank
  public MemoryEstimate memoryOfThreads(NetworkSettings settings, OptimizerRule rule, int threads) {
    return memory(settings, rule, threads, IntStream.range(0, ranks()).toArray());
  }

  /// {@return the memory of the process that needs most, if each process runs one rank}
  ///
  /// @param settings shape of the network
  /// @param rule of the optimizer
  /// @param threads of each rank
  public MemoryEstimate memoryOfProcess(NetworkSettings settings, OptimizerRule rule, int threads) {
    return IntStream.range(0, ranks())
        .mapToObj(rank -> memory(settings, rule, threads, rank))
        .max(Comparator.comparingLong(MemoryEstimate::bytes))
        .orElseThrow();
  }

  private MemoryEstimate memory(
      NetworkSettings settings, OptimizerRule rule, int threads, int... ranks) {
    boolean graph = settings.seesGraph();
    long features = 0;
    long hops = 0;
    long computing = 0;
    long rows = 0;
    long sparse = 0;
    long buffers = 0;
    long exchange = 0;
    long state = 0;
    for (int rank : ranks) {
      NetworkPlan plan = network(rank, settings);
      features += ownFeatureBytes(rank, settings);
      hops += HopPlan.keptBytes(settings, dataset(), ownRows(rank));
      computing += hopPlan().workingBytes(settings, rank);
      rows += graph ? graphBytes(rank, settings) : 0;
      sparse += graph ? kernelBytes(rank, settings) : 0;
      buffers += plan.buffers().bytes();
      exchange += exchangeBuffers(rank, settings).bytes();
      state += plan.network().stateBytes(rule);
    }
    long n = dataset().vertices();
    MemoryEstimate training =
        MemoryEstimate.builder()
            .add("Java runtime", MemoryEstimate.runtimeBytes(ranks.length, threads))
            .add("graph", dataset().graphSegments())
            .add("features", dataset().features().segments())
            .add("labels, split, placement", n * (5L * Integer.BYTES + 1))
            .add("targets", dataset().targetSegments())
            .add(
                "edges and pairs",
                RankLinks.bytes(dataset(), settings.decoder(), ranks.length, ranks()))
            .add("scores", TargetObjective.scoreBytes(dataset(), ranks.length, threads))
            .add("rows of the graph", rows)
            .add("own features", features)
            .add(HopPlan.KEPT, hops)
            .add("sparse kernels", sparse)
            .add("buffers", buffers)
            .add("exchange buffers", exchange)
            .add("parameters and optimizer", state)
            .add("thread scratch", ranks.length * Workers.bytes(threads))
            .build();
    // Buffers and parameters are allocated when the hops are there.
    return training.with(HopPlan.COMPUTING, Math.max(0, computing - buffers - state));
  }

  private HopPlan hopPlan() {
    return new HopPlan(graph, strategy(), forward, balance);
  }

  private long ownRows(int rank) {
    return placement().distribution().count(block(rank));
  }

  /// Whether one rank has all rows: then it reads them where they are.
  private boolean isWhole() {
    return placement().distribution().blocks() == 1;
  }

  private int block(int rank) {
    return rank / strategy().replication();
  }

  /// Tiles of `Â` and, if it differs, of `Â^T`, each with row pointers of its own, and the block
  /// rows that they are cut from and the maps that do it, which are gone when training begins.
  private long graphBytes(int rank, NetworkSettings settings) {
    if (isWhole()) {
      return settings.propagation(dataset()).bytes();
    }
    CsrMatrix a = dataset().adjacency();
    boolean values = a.values() != null;
    int block = block(rank);
    long n = dataset().vertices();
    long own = placement().distribution().count(block);
    int stages = 1 + placement().distribution().blocks() / strategy().replication();
    int tiles = strategy().kind() == Kind.OBLIVIOUS || strategy().replication() > 1 ? stages : 2;
    long one = CsrMatrix.bytes(own, edges(rank), values);
    long pointers = (tiles - 1L) * (own + 1) * Long.BYTES;
    int matrices = dataset().info().directed() ? 2 : 1;
    return matrices * (2 * one + pointers) + n * (2L * Integer.BYTES + 4L * Float.BYTES);
  }

  private long kernelBytes(int rank, NetworkSettings settings) {
    return productBytes(rank, settings)
        + (settings.edgeDropout() > 0 ? leftBytes(rank, settings) : 0);
  }

  /// What edge dropout leaves in a step: a number for each entry, and where rows are exchanged by
  /// tiles, the ids of their rows and columns.
  private long leftBytes(int rank, NetworkSettings settings) {
    boolean one = settings.seesEdges() || settings.propagation(dataset()).isSymmetric();
    long ids = isWhole() || settings.seesEdges() ? 0 : 2L * dataset().vertices() * Integer.BYTES;
    return (one ? 1 : 2) * (DroppedSpmm.bytes(edges(rank)) + ids);
  }

  private long productBytes(int rank, NetworkSettings settings) {
    if (settings.seesEdges()) {
      PassSize size = size(rank, settings);
      boolean one = isWhole() && settings.propagation(dataset()).isSymmetric();
      return EdgePattern.transposedBytes(size.sources(), size.edges(), one)
          + FeaturedEdges.bytes(settings, size.edges())
          + size.sources() * Integer.BYTES;
    }
    boolean symmetric = settings.propagation(dataset()).isSymmetric();
    long own = placement().distribution().count(block(rank));
    boolean values = dataset().adjacency().values() != null;
    long remote = isWhole() ? 0 : forward.rowsReceived(rank);
    return (symmetric ? 1 : 2) * Spmm.bytesAtMost(own, edges(rank), values, own, remote);
  }

  /// Features that a rank holds besides the file: none if its dense rows are consecutive there.
  private long ownFeatureBytes(int rank, NetworkSettings settings) {
    int[] members = placement().members(block(rank));
    return switch (dataset().features()) {
      case Features.Dense dense ->
          RowIds.of(members).consecutive()
              ? 0
              : DenseMatrix.bytes(members.length, dense.x().cols());
      case Features.Sparse sparse -> {
        CsrMatrix x = sparse.x();
        long nnz = IntStream.of(members).mapToLong(x::rowLength).sum();
        boolean read = settings.precomputed().isNone();
        yield (read ? NetworkInput.sparseBytes(x, nnz, 1, settings.inputDropout() > 0) : 0)
            + (isWhole() ? 0 : CsrMatrix.bytes(members.length, nnz, x.values() != null));
      }
      case Features.None none -> 0;
    };
  }
}
