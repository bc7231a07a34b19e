package dev.gossamer.gnn.hop;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.DistributedSpmm;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeWidth;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.gnn.stack.Hops;
import dev.gossamer.gnn.stack.LocalAggregation;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowGather;
import dev.gossamer.nn.layers.Aggregation;
import dev.gossamer.nn.layers.Kernels;
import java.lang.foreign.Arena;

/// Computes what a network reads in place of the features ([Hops]): `Â^K X`, or `[X | Â X | .. |
/// Â^K X]`, each rank the rows of its own vertices.
///
/// A few columns at a time go through all hops, in memory of their own, whatever the width of the
/// features: no rank holds remote rows of more columns, and sparse features become dense only in
/// the result. Columns are independent, so that their number does not change a bit.
///
/// @param grid of the strategy's replication; borrowed
/// @param strategy which rows are exchanged, and how
/// @param graph placed in the blocks of the grid
/// @param kernels threads and clock of this rank; borrowed
public record HopFeatures(
    ProcessGrid grid, ExchangeStrategy strategy, PlacedGraph graph, Kernels kernels) {
  /// Columns at a time, at most: four cache lines of each row. Fewer read the graph more often;
  /// more take memory that the result does not need.
  public static final int COLUMNS = 64;

  /// Rows that one task copies.
  private static final int TASK_ROWS = 1 << 10;

  /// Returns what the network reads of this rank's vertices. Collective, unless that is the
  /// features themselves.
  ///
  /// @param arena shared, owner of the result
  /// @param network how it sees the graph
  /// @param own features of this rank's vertices, in the order of its block; borrowed
  /// @return one row for each of them
  public Features of(Arena arena, NetworkSettings network, Features own) {
    Hops hops = network.precomputed();
    if (hops.isNone()) {
      return own;
    }
    int width = own.width();
    int rows = graph.placement().distribution().count(grid.row());
    DenseMatrix result = DenseMatrix.allocate(arena, rows, hops.width(width));
    try (Arena working = Arena.ofShared()) {
      Aggregation product = product(working, network.graph(graph.data()));
      DenseMatrix some = DenseMatrix.allocate(working, rows, Math.min(width, COLUMNS));
      DenseMatrix others = DenseMatrix.allocate(working, rows, some.cols());
      for (int begin = 0; begin < width; begin += COLUMNS) {
        int end = Math.min(width, begin + COLUMNS);
        DenseMatrix x = some.reshaped(rows, end - begin);
        DenseMatrix ax = others.reshaped(rows, end - begin);
        copy(own, begin, x);
        for (int k = 0; k <= hops.count(); k++) {
          if (k > 0) {
            product.forward(x, ax, RowEpilogue.NONE);
            DenseMatrix next = ax;
            ax = x;
            x = next;
          }
          store(hops, k, begin, x, result);
        }
      }
    }
    return new Features.Dense(result);
  }

  /// `Â`, forwards only.
  private Aggregation product(Arena working, Propagation propagation) {
    Placement placement = graph.placement();
    if (grid.blocks() == 1) {
      return LocalAggregation.of(forward(placement.allRows(working, propagation)), kernels);
    }
    try (Arena temporary = Arena.ofShared()) {
      return new DistributedSpmm(
          grid,
          placement.distribution(),
          forward(placement.blockRows(temporary, propagation, grid.row())),
          strategy,
          width(graph.data().features()),
          kernels,
          working);
    }
  }

  private static PropagationRows forward(PropagationRows rows) {
    return new PropagationRows(rows.forward(), rows.forward(), true);
  }

  /// {@return the width of exchanged rows}
  ///
  /// @param features of the data set
  static ExchangeWidth width(Features features) {
    return ExchangeWidth.whole(Math.clamp(features.width(), 1, COLUMNS));
  }

  /// Copies the columns from `begin` on.
  private void copy(Features own, int begin, DenseMatrix to) {
    switch (own) {
      case Features.Dense dense ->
          RowGather.copy(
              new ColumnBlock(dense.x(), begin, begin + to.cols()),
              ColumnBlock.all(to),
              kernels.workers());
      case Features.Sparse sparse -> copy(sparse.x(), begin, to, kernels.workers());
      case Features.None none ->
          throw new IllegalArgumentException("hops are of features, and there are none: " + none);
    }
  }

  private static void copy(CsrMatrix x, int begin, DenseMatrix to, Workers workers) {
    int rows = Math.toIntExact(to.rows());
    to.fill(0);
    workers.run(
        Math.ceilDiv(rows, TASK_ROWS),
        (task, worker) -> {
          int end = Math.min(rows, (task + 1) * TASK_ROWS);
          for (int i = task * TASK_ROWS; i < end; i++) {
            copy(x, i, begin, to);
          }
        });
  }

  private static void copy(CsrMatrix x, int row, int begin, DenseMatrix to) {
    long found = x.find(row, begin);
    for (long e = found < 0 ? -found - 1 : found; e < x.rowPointer(row + 1L); e++) {
      int column = x.column(e);
      if (column >= begin + to.cols()) {
        return;
      }
      to.set(row, column - begin, x.rowScale(row) * x.value(e) * x.columnScale(column));
    }
  }

  private void store(Hops hops, int k, int begin, DenseMatrix x, DenseMatrix result) {
    boolean all = hops.kept() == Hops.Kept.ALL;
    if (all || k == hops.count()) {
      int first = begin + (all ? k * (result.cols() / hops.blocks()) : 0);
      RowGather.copy(
          ColumnBlock.all(x), new ColumnBlock(result, first, first + x.cols()), kernels.workers());
    }
  }
}
