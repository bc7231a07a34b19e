package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/// The three products of a layer, `H W` (NN), `G W^T` (NT) and `H^T G` (TN), on tall operands, in
/// Java and by oneDNN, in turns on the same memory, beside the machine's peak and its roofline.
@Command(name = "matmul", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class MatmulComparison implements Callable<Integer> {
  /// Operations of one product, about, and bounds of its rows.
  private static final double OPERATIONS = 2e10;

  private static final double MIN_ROWS = 2e5;
  private static final double MAX_ROWS = 1e6;

  @Option(names = "--widths", split = ",", description = "k and n of the products")
  private int[] widths = {16, 32, 64, 128, 256, 512};

  @Option(names = "--threads", split = ",", description = "sizes of the team of threads")
  private int[] threads = {1, 2};

  @Option(names = "--rows", description = "rows of the operands; 0 chooses by the width")
  private long rows = 0;

  @Option(names = "--runs", description = "timed products of each side; the median counts")
  private int runs = 7;

  @Option(names = "--onednn", description = "library to compare with; none leaves it out")
  private String oneDnn = "libdnnl.so.2";

  @Option(
      names = "--cpu-time",
      description =
          "count the processor time of the team instead of the clock's, divided by the"
              + " threads: for a machine that others use too")
  private boolean cpuTime;

  @Option(names = "--json", description = "print one JSON document instead of the table")
  private boolean json;

  private enum Product {
    NN,
    NT,
    TN
  }

  /// One line of the table. GFLOP/s of `2 m k n` operations; `roofline` is the lower of the peak
  /// and the triad's bandwidth times the operations per byte, of `4 m (k + n)` bytes (and `4 m n`
  /// more where the result is long, since a store reads its line first).
  private record Line(
      Product product,
      int threads,
      long rows,
      int width,
      String implementation,
      double gflops,
      double peak,
      double share,
      double roofline,
      double rooflineShare) {}

  private record Report(Machine machine, int runs, boolean cpuTime, List<Line> lines) {}

  /// The operands of the three products at one width.
  private record Operands(DenseMatrix h, DenseMatrix w, DenseMatrix g, DenseMatrix gradient) {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new MatmulComparison()).execute(arguments));
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    List<Matmul> sides = new ArrayList<>(List.of(Matmul.java()));
    if (!oneDnn.equals("none")) {
      sides.add(Matmul.oneDnn(oneDnn));
    }
    if (!json) {
      out.print(Machine.here().text());
      out.printf(
          "%n%7s %7s %8s %6s %-24s %8s %8s %6s %9s %6s%n",
          "product",
          "threads",
          "rows",
          "width",
          "by",
          "GFLOP/s",
          "peak",
          "share",
          "roofline",
          "share");
    }
    List<Line> lines = new ArrayList<>();
    for (int team : threads) {
      try (Workers workers = new Workers(team)) {
        for (int width : widths) {
          for (Line line : measure(sides, width, workers)) {
            lines.add(line);
            if (!json) {
              print(line, out);
            }
          }
        }
      }
    }
    if (json) {
      Report report = new Report(Machine.here(), runs, cpuTime, lines);
      out.println(JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(report));
    }
    return 0;
  }

  private List<Line> measure(List<Matmul> sides, int width, Workers workers) {
    double fit = Math.clamp(OPERATIONS / (2.0 * width * width), MIN_ROWS, MAX_ROWS);
    long m = rows > 0 ? rows : (long) fit;
    List<Line> lines = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      Operands operands =
          new Operands(
              random(arena, m, width),
              random(arena, width, width),
              random(arena, m, width),
              DenseMatrix.allocate(arena, width, width));
      double triad = Triad.gigabytesPerSecond(workers);
      for (Product product : Product.values()) {
        lines.addAll(measure(product, sides, operands, workers, triad));
      }
    }
    return lines;
  }

  private List<Line> measure(
      Product product, List<Matmul> sides, Operands operands, Workers workers, double triad) {
    TeamTimer timer = TeamTimer.of(workers, runs, cpuTime);
    double[][] seconds = new double[sides.size() + 1][runs];
    for (int run = -2; run < runs; run++) {
      for (int side = 0; side <= sides.size(); side++) {
        long begin = timer.now();
        if (side == sides.size()) {
          PeakRate.run(workers);
        } else {
          run(product, sides.get(side), operands, workers);
        }
        if (run >= 0) {
          seconds[side][run] = (timer.now() - begin) * 1e-9;
        }
      }
    }
    double peak =
        workers.threads()
            * PeakRate.operations()
            / Arrays.stream(seconds[sides.size()]).min().orElseThrow()
            * 1e-9;
    long m = operands.h.rows();
    int width = operands.h.cols();
    double operations = 2.0 * m * width * width;
    double bytes = 4.0 * m * width * (product == Product.TN ? 2 : 3);
    double roofline = Math.min(peak, triad * operations / bytes);
    List<Line> lines = new ArrayList<>();
    for (int side = 0; side < sides.size(); side++) {
      double rate = operations / TeamTimer.median(seconds[side]) * 1e-9;
      lines.add(
          new Line(
              product,
              workers.threads(),
              m,
              width,
              sides.get(side).name(),
              rate,
              peak,
              rate / peak,
              roofline,
              rate / roofline));
    }
    return lines;
  }

  private static void run(Product product, Matmul matmul, Operands o, Workers workers) {
    switch (product) {
      case NN -> matmul.multiply(o.h, o.w, o.g, workers, RowEpilogue.NONE);
      case NT -> matmul.multiplyTransposed(o.h, o.w, o.g, workers, RowEpilogue.NONE);
      case TN -> matmul.transposedMultiply(o.h, o.g, o.gradient, workers);
    }
  }

  private static DenseMatrix random(Arena arena, long rows, int cols) {
    DenseMatrix matrix = DenseMatrix.allocate(arena, rows, cols);
    SplittableRandom random = new SplittableRandom(rows ^ cols);
    for (long i = 0; i < rows * cols; i++) {
      matrix.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
    }
    return matrix;
  }

  private static void print(Line line, PrintStream out) {
    out.printf(
        "%7s %7d %8d %6d %-24s %8.1f %8.1f %5.0f%% %9.1f %5.0f%%%n",
        line.product,
        line.threads,
        line.rows,
        line.width,
        line.implementation,
        line.gflops,
        line.peak,
        100 * line.share,
        line.roofline,
        100 * line.rooflineShare);
  }
}
