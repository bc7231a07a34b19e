package dev.gossamer.planner;

import dev.gossamer.planner.RateTable.Point;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Rates of an invented machine of four cores, on which four threads are twice as fast as one.
public final class SampleRates {
  private SampleRates() {}

  /// What files hold exactly.
  public static MeasuredRates of() {
    Map<Work, RateTable> tables = new EnumMap<>(Work.class);
    tables.put(Work.START, table(point(1e-6)));
    tables.put(
        Work.MATMUL,
        table(point(1e-9, 16, 16), point(2e-9, 16, 64), point(2e-9, 64, 16), point(4e-9, 64, 64)));
    tables.put(Work.MATMUL_RAGGED, table(point(8e-9, 16, 7), point(8e-9, 64, 7)));
    tables.put(Work.WEIGHT_GRADIENT, table(point(5e-9, 16, 16)));
    tables.put(Work.SPMM, table(point(1e-6, 1000, 4, 16), point(4e-6, 1000, 4, 64)));
    tables.put(Work.SPMM_RAGGED, table(point(7e-6, 1000, 4, 7)));
    tables.put(
        Work.ATTENTION,
        table(
            point(2e-8, 1000, 4, 1, 16),
            point(8e-8, 1000, 4, 1, 64),
            point(4e-8, 1000, 4, 8, 16),
            point(1.6e-7, 1000, 4, 8, 64)));
    tables.put(Work.DROPOUT, table(point(1e-9)));
    tables.put(Work.DROPOUT_SPARSE, table(point(2e-8)));
    tables.put(Work.LOSS, table(point(1e-8, 8), point(1e-7, 64)));
    tables.put(Work.TRANSPOSE, table(point(5e-9)));
    tables.put(Work.STREAM, table(point(1e-9, 1 << 20), point(2e-9, 1 << 28)));
    tables.put(Work.SAMPLING, table(point(1e-7)));
    tables.put(Work.GATHER, table(point(1e-7, 64), point(4e-7, 256)));
    return new MeasuredRates(4, tables);
  }

  static RateTable table(Point... points) {
    return new RateTable(List.of(points));
  }

  static Point point(double one, Integer... at) {
    return new Point(List.of(at), one, one / 2);
  }
}
