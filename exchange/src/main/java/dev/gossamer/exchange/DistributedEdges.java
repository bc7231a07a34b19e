package dev.gossamer.exchange;

import dev.gossamer.comm.Communicator;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.Neighbourhood;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.BufferPlan.Buffer;
import java.lang.foreign.Arena;
import java.util.List;

/// The edges of a graph that is distributed over ranks by block rows, on one rank: its vertices are
/// the targets, and the sources are these followed by the remote sources of edges into them, in the
/// order of [RowExchange] (SA, Algorithm 1).
///
/// Rows are sent once per direction and layer: `z` before attention, and the part of its gradient
/// that belongs to remote vertices after the backward pass. Scores are recomputed where rows
/// arrive.
public final class DistributedEdges implements Neighbourhood {
  private static final String SEND = "rows to send";

  private final EdgePattern edges;
  private final EdgePattern.Transposed transposed;
  private final RowIds sources;
  private final RowExchange exchange;
  private final Kernels kernels;

  /// Agrees on the rows to exchange. Collective.
  ///
  /// @param comm a group whose rank `i` owns block `i`; borrowed
  /// @param placement of the vertices in the same number of blocks
  /// @param rows this rank's block row of `Â`, with the placement's column ids
  /// @param wire the format in which rows are sent
  /// @param widest maximum number of columns of a matrix
  /// @param kernels threads and clock of this rank
  /// @param arena shared, owner of edges and buffer
  public DistributedEdges(
      Communicator comm,
      Placement placement,
      CsrMatrix rows,
      RowFormat wire,
      int widest,
      Kernels kernels,
      Arena arena) {
    this.kernels = kernels;
    RowDistribution distribution = placement.distribution();
    int begin = distribution.begin(comm.rank());
    int own = distribution.count(comm.rank());
    int[] needed = TileLayout.nonzeroColumns(rows, 0, distribution.rows());
    ExchangePattern pattern = new ExchangePattern(comm, distribution, needed);
    int[] ids = new int[own + pattern.rowsNeeded()];
    ColumnTiles columns = new ColumnTiles(rows.cols(), 1);
    columns.add(0, begin, begin + own);
    for (int i = 0; i < ids.length; i++) {
      int row = i < own ? begin + i : pattern.neededRow(i - own);
      ids[i] = placement.oldId(row);
      if (i >= own) {
        columns.add(0, row);
      }
    }
    sources = RowIds.of(ids);
    CsrMatrix[] entries = columns.entries(arena, rows);
    edges = new EdgePattern(columns.scaled(arena, entries, rows)[0]);
    transposed = edges.transposed(arena);
    BufferPlan buffers = buffers(wire, pattern.rowsToSend(), pattern.rowsNeeded(), widest);
    exchange =
        new RowExchange(pattern, wire, buffers.allocate(arena, SEND).data(), kernels.workers());
  }

  private static BufferPlan buffers(RowFormat wire, long toSend, long needed, int widest) {
    long bytes = RowExchange.scatterBytes(toSend, needed, wire, widest);
    long elements = Math.ceilDiv(bytes, (long) Float.BYTES);
    return new BufferPlan(List.of(Buffer.ofElements(SEND, toSend, elements)));
  }

  /// {@return the planned buffers of a rank; remote rows are received in place}
  ///
  /// @param volume of `Â`, sparsity-aware without replication
  /// @param wire the format in which rows are sent
  /// @param rank of the buffers
  /// @param widest maximum number of columns of a matrix
  public static BufferPlan plannedBuffers(
      ExchangeVolume volume, RowFormat wire, int rank, int widest) {
    return buffers(wire, volume.rowsSent(rank), volume.rowsReceived(rank), widest);
  }

  @Override
  public EdgePattern edges() {
    return edges;
  }

  @Override
  public EdgePattern.Transposed transposed() {
    return transposed;
  }

  @Override
  public RowIds sources() {
    return sources;
  }

  @Override
  public void gather(DenseMatrix z) {
    kernels
        .clock()
        .measure(Phase.EXCHANGE, "gather rows", () -> exchange.gather(own(z), others(z)));
  }

  @Override
  public void scatterAdd(DenseMatrix gradient) {
    kernels
        .clock()
        .measure(
            Phase.EXCHANGE,
            "scatter gradients",
            () -> exchange.scatterAdd(others(gradient), own(gradient)));
  }

  private DenseMatrix own(DenseMatrix rows) {
    return rows.rows(0, edges.targets());
  }

  private DenseMatrix others(DenseMatrix rows) {
    return rows.rows(edges.targets(), edges.sources());
  }
}
