package dev.gossamer.planner;

import dev.gossamer.base.InvalidSettingException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/// Rates that were measured at some sizes, with one thread and with all threads of a node, and are
/// interpolated in between ([RateTable]).
///
/// A width below the smallest measured one takes as long as that one, since it fills the same
/// vectors and cache lines. Beyond the largest, time grows with the width.
///
/// `threads = 1` is the time of one thread that has the whole memory bandwidth. If several ranks of
/// a node compute at the same time, ask for their combined work with all their threads.
///
/// @param threads of the node: those of [RateTable.Point#all]
/// @param tables one for each kind of work
public record MeasuredRates(int threads, Map<Work, RateTable> tables) implements Rates {
  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there is no thread, or a table is missing or has another
  ///   number of sizes
  public MeasuredRates {
    InvalidSettingException.requireAtLeast("threads", threads, 1);
    tables = new EnumMap<>(tables);
    for (Work work : Work.values()) {
      RateTable table = tables.get(work);
      if (table == null || table.dimensions() != work.sizes()) {
        throw new InvalidSettingException(
            "{tables}: expected points of %d sizes for %s, found %s"
                .formatted(work.sizes(), work.key(), table == null ? "none" : table));
      }
    }
  }

  /// {@return a copy}
  @Override
  public Map<Work, RateTable> tables() {
    return new EnumMap<>(tables);
  }

  private RateTable table(Work work) {
    return Objects.requireNonNull(tables.get(work));
  }

  @Override
  public double matmul(long rows, int in, int out, int sharing) {
    return product(isRagged(out) ? Work.MATMUL_RAGGED : Work.MATMUL, rows, in, out, sharing);
  }

  @Override
  public double weightGradient(long rows, int in, int out, int sharing) {
    return product(Work.WEIGHT_GRADIENT, rows, in, out, sharing);
  }

  private double product(Work work, long rows, int in, int out, int sharing) {
    RateTable table = table(work);
    double wideIn = Math.max(in, table.smallest(0));
    double wideOut = Math.max(out, table.smallest(1));
    double seconds = table.seconds(sharing, threads, wideIn, wideOut);
    return whole(rows * wideIn * wideOut, seconds, sharing);
  }

  @Override
  public double spmm(long rows, long entries, int width, int sharing) {
    if (rows == 0) {
      return 0;
    }
    RateTable table = table(isRagged(width) ? Work.SPMM_RAGGED : Work.SPMM);
    // Rows without entries are written, too.
    double size = rows;
    double most = Math.max((double) entries, size * table.smallest(1));
    double beyond = beyond(table, 2, width);
    double seconds = table.seconds(sharing, threads, size, most / size, width);
    return whole(most * beyond, seconds, sharing);
  }

  private static boolean isRagged(int width) {
    return width % Work.LINE_COLUMNS != 0;
  }

  @Override
  public double attention(long rows, long edges, int heads, int width, int sharing) {
    RateTable table = table(Work.ATTENTION);
    double size = Math.max(1, rows);
    double most = Math.max((double) edges, size * table.smallest(1));
    double beyond = beyond(table, 3, width);
    double seconds = table.seconds(sharing, threads, size, most / size, heads, width);
    return whole(edges == 0 ? 0 : most * beyond, seconds, sharing);
  }

  @Override
  public double dropout(double elements, int sharing) {
    return of(Work.DROPOUT, elements, sharing);
  }

  @Override
  public double sparseDropout(double entries, int sharing) {
    return of(Work.DROPOUT_SPARSE, entries, sharing);
  }

  @Override
  public double loss(double rows, int classes, int sharing) {
    RateTable table = table(Work.LOSS);
    return whole(
        rows * beyond(table, 0, classes), table.seconds(sharing, threads, classes), sharing);
  }

  @Override
  public double transpose(double entries, int sharing) {
    return of(Work.TRANSPOSE, entries, sharing);
  }

  @Override
  public double stream(double bytes, int sharing) {
    return whole(bytes, table(Work.STREAM).seconds(sharing, threads, bytes), sharing);
  }

  @Override
  public double sampling(double edges, int sharing) {
    return of(Work.SAMPLING, edges, sharing);
  }

  @Override
  public double gather(double rows, int rowBytes, int sharing) {
    RateTable table = table(Work.GATHER);
    return whole(
        rows * beyond(table, 0, rowBytes), table.seconds(sharing, threads, rowBytes), sharing);
  }

  /// How many times the largest size that was measured on an axis.
  private static double beyond(RateTable table, int axis, int size) {
    return Math.max(1, (double) size / table.largest(axis));
  }

  /// Work whose rate has no size.
  private double of(Work work, double units, int sharing) {
    return whole(units, table(work).seconds(sharing, threads), sharing);
  }

  @Override
  public double start(int sharing) {
    return sharing > 1 ? table(Work.START).seconds(sharing, threads) : 0;
  }

  /// All units of work, and the start of several threads. Nothing to do takes no time.
  private double whole(double units, double seconds, int sharing) {
    double start = start(sharing);
    return units == 0 ? 0 : start + units * seconds;
  }
}
