package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.MeasuredRates;
import dev.gossamer.planner.RateTable;
import dev.gossamer.planner.RateTable.Point;
import dev.gossamer.planner.Work;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// A machine whose kernels are bound by nothing but memory and multiply-adds, so that a plan for it
/// is the roofline of an epoch (Williams, Waterman and Patterson 2009). No row comes from a cache:
/// a product by the graph reads one for each edge.
///
/// @param operations float32 operations per second, a multiply-add counts as two ([PeakRate])
/// @param bandwidth bytes per second ([Triad])
record RooflineRates(double operations, double bandwidth) {
  private static final int WIDEST = 12;
  private static final int RUNS = 9;

  /// Seconds that no sum shows, since a rate is above 0.
  private static final double NOTHING = 1e-15;

  /// Measures the machine.
  static RooflineRates measured(Workers workers) {
    double[] seconds = new double[RUNS];
    for (int run = -2; run < RUNS; run++) {
      long begin = System.nanoTime();
      PeakRate.run(workers);
      if (run >= 0) {
        seconds[run] = (System.nanoTime() - begin) * 1e-9;
      }
    }
    double rate = workers.threads() * PeakRate.operations() / TeamTimer.median(seconds);
    return new RooflineRates(rate, 1e9 * Triad.gigabytesPerSecond(workers));
  }

  /// One node of these rates.
  ///
  /// @param memory bytes of it
  Cluster node(int cores, long memory) {
    Map<Work, RateTable> tables = new EnumMap<>(Work.class);
    for (Work work : Work.values()) {
      tables.put(work, table(work));
    }
    LinkRates link = new LinkRates(1e-9, bandwidth);
    return new Cluster(1, 1, cores, memory, link, link, new MeasuredRates(cores, tables));
  }

  private RateTable table(Work work) {
    List<Point> points = new ArrayList<>();
    int[] exponents = new int[work.sizes()];
    do {
      double[] sizes = Arrays.stream(exponents).mapToDouble(e -> 1 << e).toArray();
      double seconds = seconds(work, sizes);
      List<Integer> at = IntStream.of(exponents).mapToObj(e -> 1 << e).toList();
      points.add(new Point(at, seconds, seconds));
    } while (advance(work, exponents));
    return new RateTable(points);
  }

  /// The next point of the grid. The number of rows, the first of three and of four sizes, plays no
  /// role.
  private static boolean advance(Work work, int[] exponents) {
    int first = work.sizes() > 2 ? 1 : 0;
    for (int axis = exponents.length - 1; axis >= first; axis--) {
      if (++exponents[axis] <= WIDEST) {
        return true;
      }
      exponents[axis] = 0;
    }
    return false;
  }

  /// Of a unit of work of these sizes.
  private double seconds(Work work, double[] at) {
    return switch (work) {
      case MATMUL, MATMUL_RAGGED, WEIGHT_GRADIENT ->
          Math.max(2 / operations, bytes(4 / at[0] + 4 / at[1]));
      case SPMM, SPMM_RAGGED -> bytes(4 + 4 * at[2] + (8 + 4 * at[2]) / at[1]);
      // Rows of neighbours are read forward, for the gradient of the coefficients and for their
      // own.
      case ATTENTION -> bytes(4 + 8 * at[2] + 12 * at[3]);
      case LOSS -> bytes(12 * at[0]);
      case STREAM -> bytes(1);
      case GATHER -> bytes(2 * at[0]);
      case DROPOUT, DROPOUT_SPARSE -> bytes(8);
      case START, SAMPLING, TRANSPOSE -> NOTHING;
    };
  }

  private double bytes(double number) {
    return number / bandwidth;
  }
}
