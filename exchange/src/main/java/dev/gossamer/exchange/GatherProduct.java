package dev.gossamer.exchange;

import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.clock.PhaseClock;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/// The sparsity-aware product: only rows that nonzero entries need are sent, the rank's own block
/// is multiplied without them, and the columns of the other tiles are numbered in the order in
/// which rows arrive.
///
/// In 1D, all rows arrive in one all-to-all (SA, Algorithm 1). In 1.5D, they arrive in messages,
/// and their tiles are multiplied stage by stage (SA, Algorithm 2; there a rank receives in each
/// stage, here all receives are posted before the first stage, into a buffer that holds the rows of
/// all stages, so that no sender waits for a multiplication). With overlap, a rank multiplies its
/// own block while rows are being sent, without overlap after all have arrived; the order of
/// additions is the same.
final class GatherProduct implements RowProduct {
  private final ProcessGrid grid;
  private final ExchangePattern pattern;
  private final RowExchange exchange;
  private final TileSum sum;
  private final DenseMatrix received;
  private final boolean overlap;
  private final PhaseClock clock;
  private final List<String> waits;

  /// @param received at least `rowsNeeded x f` elements for the widest block of columns
  GatherProduct(
      ProcessGrid grid,
      RowExchange exchange,
      TileSum sum,
      DenseMatrix received,
      boolean overlap,
      PhaseClock clock) {
    this.grid = grid;
    this.pattern = exchange.pattern();
    this.exchange = exchange;
    this.sum = sum;
    this.received = received;
    this.overlap = overlap;
    this.clock = clock;
    waits =
        IntStream.range(0, grid.stages())
            .mapToObj(k -> "wait for rows of block " + (grid.firstStage() + k))
            .toList();
  }

  @Override
  public void multiply(ColumnBlock x, ColumnBlock y, RowEpilogue epilogue) {
    DenseMatrix target = received.reshaped(pattern.rowsNeeded(), x.cols());
    boolean staged = grid.replication() > 1;
    measure(
        "gather rows",
        e -> {
          if (staged) {
            e.beginGatherByOwner(x, target);
          } else {
            e.beginGather(x, target);
          }
        });
    if (!overlap) {
      measure("wait for rows", RowExchange::finishGather);
    }
    sum.begin(y, epilogue);
    sum.add(0, x, y, epilogue);
    if (staged) {
      multiplyStages(target, y, epilogue);
    } else {
      if (overlap) {
        measure("wait for rows", RowExchange::finishGather);
      }
      sum.add(1, ColumnBlock.all(target), y, epilogue);
    }
  }

  private void multiplyStages(DenseMatrix target, ColumnBlock y, RowEpilogue epilogue) {
    long row = 0;
    for (int k = 0; k < grid.stages(); k++) {
      int owner = grid.firstStage() + k;
      long count = pattern.rowsNeeded(owner);
      measure(waits.get(k), e -> e.awaitOwner(owner));
      sum.add(1 + k, ColumnBlock.all(target.rows(row, row + count)), y, epilogue);
      row += count;
    }
    if (overlap) {
      measure("wait for rows", RowExchange::finishGather);
    }
  }

  private void measure(String name, Consumer<RowExchange> step) {
    clock.measure(Phase.EXCHANGE, name, () -> step.accept(exchange));
  }
}
