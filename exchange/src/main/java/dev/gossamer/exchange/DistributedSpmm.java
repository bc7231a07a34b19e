package dev.gossamer.exchange;

import dev.gossamer.comm.Element;
import dev.gossamer.comm.Reduction;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Aggregation;
import dev.gossamer.nn.layers.EdgeDraw;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.BufferPlan.Buffer;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// `Y = Â X` and `X' = Â^T Y'` over matrices that are distributed over ranks by block rows (SA,
/// section 4; MG, section 4.1).
///
/// Rank `(i, j)` of the grid holds block row `i` of `Â`, `Â^T`, `X` and `Y`. It multiplies the
/// block columns `q` of its `p/c^2` stages, `q = j p/c^2 + k`; for `c > 1` the partial blocks are
/// then added over the process row. An [ExchangeStrategy] determines which rows are sent, and in
/// which [RowFormat]: remote rows are rounded to it, a rank's own rows are not, and partial blocks
/// are summed in float32. The epilogue is applied to each row once, when it is complete.
///
/// An [ExchangeWidth] bounds the memory for exchanged rows: wider matrices are multiplied in blocks
/// of columns.
///
/// Additions have a fixed order, so that results are bit-identical between runs, with and without
/// overlap, in blocks of columns or at once: entries of a row in the order of the tiles, then
/// process columns in the communicator's order. Time is counted in [Phase#SPMM], [Phase#EXCHANGE]
/// and [Phase#REDUCE]. Both passes are collective.
public final class DistributedSpmm implements Aggregation {
  private static final String SEND = "rows to send";
  private static final String RECEIVE = "rows received";
  private static final String BROADCAST = "broadcast ";

  private final ProcessGrid grid;
  private final int ownRows;
  private final ExchangeWidth width;
  private final Kernels kernels;
  private final BufferPlan buffers;
  private final RowProduct forward;
  private final RowProduct backward;
  private final @Nullable Left left;

  /// Divides the block rows into tiles, agrees with the other ranks on the rows to send and
  /// allocates buffers. Collective.
  ///
  /// @param grid of the strategy's replication; borrowed
  /// @param distribution of the `n` rows over the grid's `p/c` block rows
  /// @param rows this rank's block rows, which are copied and needed only during this call
  /// @param strategy how rows are exchanged
  /// @param width maximum width of exchanged rows
  /// @param kernels threads and clock of this rank
  /// @param arena shared, owner of tiles and buffers
  /// @throws IllegalArgumentException if grid, distribution, rows and strategy do not match
  public DistributedSpmm(
      ProcessGrid grid,
      RowDistribution distribution,
      PropagationRows rows,
      ExchangeStrategy strategy,
      ExchangeWidth width,
      Kernels kernels,
      Arena arena) {
    this(grid, distribution, rows, strategy, width, kernels, arena, null);
  }

  /// Does the same, and drops some edges in each training step ([#drawn]). Collective.
  ///
  /// @param grid as above
  /// @param distribution as above
  /// @param rows as above
  /// @param strategy as above
  /// @param width as above
  /// @param kernels as above
  /// @param arena also owner of the weights of the edges that are left
  /// @param dropped which edges; null for none
  public DistributedSpmm(
      ProcessGrid grid,
      RowDistribution distribution,
      PropagationRows rows,
      ExchangeStrategy strategy,
      ExchangeWidth width,
      Kernels kernels,
      Arena arena,
      @Nullable DroppedEdges dropped) {
    check(grid, distribution, rows, strategy);
    this.grid = grid;
    this.ownRows = distribution.count(grid.row());
    this.width = width;
    this.kernels = kernels;
    TileLayout ahead = layout(arena, grid, distribution, rows.forward(), strategy);
    TileLayout back =
        rows.samePattern() ? ahead : layout(arena, grid, distribution, rows.backward(), strategy);
    buffers =
        ahead.pattern() == null || back.pattern() == null
            ? broadcastBuffers(distribution, grid, strategy, width)
            : exchangeBuffers(
                Math.max(ahead.pattern().rowsToSend(), back.pattern().rowsToSend()),
                Math.max(ahead.pattern().rowsNeeded(), back.pattern().rowsNeeded()),
                strategy,
                width);
    List<DenseMatrix> memory =
        buffers.buffers().stream().map(b -> buffers.allocate(arena, b.name())).toList();
    Side here = Side.of(arena, ahead, rows.forward(), kernels);
    Side there =
        rows.forward() == rows.backward() ? here : Side.of(arena, back, rows.backward(), kernels);
    Function<Side, RowProduct> products =
        side -> product(side.layout(), side.sum(), distribution, strategy, memory);
    forward = products.apply(here);
    backward = there.equals(here) ? forward : products.apply(there);
    left = dropped == null ? null : left(arena, dropped, here, there, products);
  }

  /// The tiles of one direction, and the sum over them.
  private record Side(TileLayout layout, TileSum sum) {
    static Side of(Arena arena, TileLayout layout, CsrMatrix block, Kernels kernels) {
      return new Side(layout, new TileSum(layout.scaled(arena, block), layout.names(), kernels));
    }
  }

  private Left left(
      Arena arena,
      DroppedEdges dropped,
      Side here,
      Side there,
      Function<Side, RowProduct> products) {
    TileSum.Dropped ahead = dropped.of(arena, here.sum(), here.layout(), grid.row());
    TileSum.Dropped back =
        there.equals(here) ? ahead : dropped.of(arena, there.sum(), there.layout(), grid.row());
    RowProduct product = products.apply(new Side(here.layout(), ahead.sum()));
    return new Left(
        product,
        back.equals(ahead) ? product : products.apply(new Side(there.layout(), back.sum())),
        new EdgeDraw(
            kernels,
            step -> {
              ahead.draw(step);
              if (!back.equals(ahead)) {
                back.draw(step);
              }
            }));
  }

  /// What edge dropout leaves of both products.
  private final class Left implements Aggregation {
    private final RowProduct ahead;
    private final RowProduct back;
    private final EdgeDraw draw;

    Left(RowProduct ahead, RowProduct back, EdgeDraw draw) {
      this.ahead = ahead;
      this.back = back;
      this.draw = draw;
    }

    @Override
    public void forward(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue) {
      multiply(ahead, x, y, epilogue);
    }

    @Override
    public void backward(DenseMatrix gradY, DenseMatrix gradX) {
      multiply(back, gradY, gradX, RowEpilogue.NONE);
    }
  }

  @Override
  public Aggregation drawn(long step) {
    if (left == null) {
      return this;
    }
    left.draw.of(step);
    return left;
  }

  private static void check(
      ProcessGrid grid,
      RowDistribution distribution,
      PropagationRows rows,
      ExchangeStrategy strategy) {
    if (grid.replication() != strategy.replication()) {
      throw new IllegalArgumentException(
          "distributed spmm: the grid has replication %d but the strategy %d"
              .formatted(grid.replication(), strategy.replication()));
    }
    if (distribution.blocks() != grid.blocks()) {
      throw new IllegalArgumentException(
          "distributed spmm: %d blocks of rows for %d process rows; each needs one"
              .formatted(distribution.blocks(), grid.blocks()));
    }
    CsrMatrix block = rows.forward();
    int expected = distribution.count(grid.row());
    if (block.rows() != expected || block.cols() != distribution.rows()) {
      throw new IllegalArgumentException(
          "distributed spmm: the block rows of process row %d are %s; expected %d x %d"
              .formatted(grid.row(), block, expected, distribution.rows()));
    }
  }

  private static TileLayout layout(
      Arena arena,
      ProcessGrid grid,
      RowDistribution distribution,
      CsrMatrix block,
      ExchangeStrategy strategy) {
    return switch (strategy.kind()) {
      case OBLIVIOUS -> TileLayout.oblivious(arena, grid, distribution, block);
      case SPARSITY_AWARE -> TileLayout.sparsityAware(arena, grid, distribution, block);
    };
  }

  private RowProduct product(
      TileLayout layout,
      TileSum sum,
      RowDistribution distribution,
      ExchangeStrategy strategy,
      List<DenseMatrix> memory) {
    return switch (strategy.kind()) {
      case OBLIVIOUS ->
          new BroadcastProduct(grid, distribution, sum, strategy.wire(), memory, kernels);
      case SPARSITY_AWARE -> {
        ExchangePattern pattern = Objects.requireNonNull(layout.pattern());
        RowExchange exchange =
            new RowExchange(pattern, strategy.wire(), memory.get(0).data(), kernels.workers());
        yield new GatherProduct(
            grid, exchange, sum, memory.get(1), strategy.overlap(), kernels.clock());
      }
    };
  }

  @Override
  public void forward(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue) {
    multiply(forward, x, y, epilogue);
  }

  @Override
  public void backward(DenseMatrix gradY, DenseMatrix gradX) {
    multiply(backward, gradY, gradX, RowEpilogue.NONE);
  }

  /// {@return the buffers of this rank with one row per row of the matrix}
  public BufferPlan buffers() {
    return buffers;
  }

  /// {@return the planned buffers of a rank}
  ///
  /// @param forward volume of `Â`
  /// @param backward volume of `Â^T`, of the same kind and replication; the same if the pattern is
  ///   symmetric
  /// @param strategy how rows are exchanged
  /// @param rank of the world, `i c + j`
  /// @param width maximum width of exchanged rows
  public static BufferPlan plannedBuffers(
      ExchangeVolume forward,
      ExchangeVolume backward,
      ExchangeStrategy strategy,
      int rank,
      ExchangeWidth width) {
    if (strategy.kind() == Kind.OBLIVIOUS) {
      long sent = forward.rowsSent(rank) == 0 ? 0 : forward.ownRows(rank);
      return broadcastBuffers(sent, forward.largestReceived(rank), strategy, width);
    }
    return exchangeBuffers(
        Math.max(forward.rowsSent(rank), backward.rowsSent(rank)),
        Math.max(forward.rowsReceived(rank), backward.rowsReceived(rank)),
        strategy,
        width);
  }

  private static BufferPlan exchangeBuffers(
      long send, long receive, ExchangeStrategy strategy, ExchangeWidth width) {
    return new BufferPlan(
        List.of(
            new Buffer(SEND, send, strategy.wire().floats(width.atOnce())),
            new Buffer(RECEIVE, receive, width.atOnce())));
  }

  private static BufferPlan broadcastBuffers(
      RowDistribution distribution,
      ProcessGrid grid,
      ExchangeStrategy strategy,
      ExchangeWidth width) {
    long largest = 0;
    for (int q = grid.firstStage(); q < grid.firstStage() + grid.stages(); q++) {
      largest = Math.max(largest, q == grid.row() ? 0 : distribution.count(q));
    }
    boolean sends = grid.ownStage() >= 0 && grid.blocks() > 1;
    long sent = sends ? distribution.count(grid.row()) : 0;
    return broadcastBuffers(sent, largest, strategy, width);
  }

  /// @param sent rows that are broadcast
  /// @param largest rows that are received at a time
  private static BufferPlan broadcastBuffers(
      long sent, long largest, ExchangeStrategy strategy, ExchangeWidth width) {
    boolean packs = width.isDivided() || strategy.wire() != RowFormat.FLOAT32;
    long rows = packs ? Math.max(sent, largest) : largest;
    List<Buffer> buffers = new ArrayList<>();
    for (int k = 0; k < (strategy.overlap() ? 2 : 1); k++) {
      buffers.add(new Buffer(BROADCAST + k, rows, width.atOnce()));
    }
    return new BufferPlan(buffers);
  }

  private void multiply(RowProduct product, DenseMatrix x, DenseMatrix y, RowEpilogue epilogue) {
    boolean fits = x.cols() == y.cols() && x.cols() <= width.widest();
    if (x.rows() != ownRows || y.rows() != ownRows || !fits) {
      throw new IllegalArgumentException(
          "distributed spmm: x is %s and y is %s; both need %d rows and the same width of at most %d"
              .formatted(x, y, ownRows, width.widest()));
    }
    if (grid.replication() == 1) {
      multiplyBlocks(product, x, y, epilogue);
      return;
    }
    multiplyBlocks(product, x, y, RowEpilogue.NONE);
    kernels
        .clock()
        .measure(
            Phase.REDUCE,
            "allreduce partial products",
            () -> grid.processRow().allReduce(y.data(), Element.FLOAT, Reduction.SUM));
    Epilogues.apply(epilogue, y, kernels.workers());
  }

  /// Multiplies in the fewest possible blocks, of even widths; the last one completes the rows.
  private void multiplyBlocks(
      RowProduct product, DenseMatrix x, DenseMatrix y, RowEpilogue epilogue) {
    int blocks = Math.max(1, Math.ceilDiv(x.cols(), width.atOnce()));
    for (int i = 0; i < blocks; i++) {
      int begin = (int) ((long) x.cols() * i / blocks);
      int end = (int) ((long) x.cols() * (i + 1) / blocks);
      product.multiply(
          new ColumnBlock(x, begin, end),
          new ColumnBlock(y, begin, end),
          i == blocks - 1 ? epilogue : RowEpilogue.NONE);
    }
  }
}
