package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/// A layer's update, `dropout(max(H W + b, 0))`: fused (MB, section 3.3), as passes over the whole
/// matrix one after the other, and by oneDNN with bias and ReLU in its product and our dropout
/// after it; and the gradient of its weights. All in turns on the same memory.
@Command(name = "update", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class UpdateComparison implements Callable<Integer> {
  /// Rows that a sample goes over at least, so that small matrices take a time that can be told.
  private static final long SAMPLE_ROWS = 100_000;

  @Option(names = "--rows", split = ",", description = "rows of H")
  private long[] rows = {400_000, 50_000, 5_000};

  @Option(names = "--widths", split = ",", description = "columns of H and of W")
  private int[] widths = {100, 128, 256};

  @Option(names = "--threads", split = ",", description = "sizes of the team of threads")
  private int[] threads = {1, 2};

  @Option(names = "--dropout", description = "rate")
  private float dropout = 0.5f;

  @Option(names = "--runs", description = "timed runs of each side; the median counts")
  private int runs = 7;

  @Option(names = "--onednn", description = "oneDNN 2.x to compare with; none leaves it out")
  private String oneDnn = "libdnnl.so.2";

  @Option(
      names = "--cpu-time",
      description =
          "count the processor time of the team instead of the clock's, divided by the"
              + " threads: for a machine that others use too")
  private boolean cpuTime;

  @Option(names = "--json", description = "print one JSON document instead of the table")
  private boolean json;

  /// One line of the table: milliseconds of each side, and what fusing gains.
  ///
  /// @param product `H W` alone: what the fused update cannot fall below
  /// @param gain `unfused / fused`
  /// @param most `unfused / product`: the gain if bias, ReLU and dropout cost nothing
  /// @param oneDnn product with post-ops, then dropout; 0 without oneDNN
  /// @param gradient `H^T G`
  /// @param oneDnnGradient the same by oneDNN
  private record Line(
      int threads,
      long rows,
      int width,
      double fused,
      double unfused,
      double product,
      double gain,
      double most,
      double oneDnn,
      double gradient,
      double oneDnnGradient) {}

  private record Report(Machine machine, int runs, boolean cpuTime, List<Line> lines) {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new UpdateComparison()).execute(arguments));
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    if (!json) {
      out.print(Machine.here().text());
      out.printf(
          "%n%7s %7s %6s %9s %9s %9s %6s %6s %9s %9s %9s%n",
          "threads",
          "rows",
          "width",
          "fused",
          "unfused",
          "product",
          "gain",
          "most",
          "oneDNN",
          "gradient",
          "oneDNN");
    }
    List<Line> lines = new ArrayList<>();
    for (int team : threads) {
      try (Workers workers = new Workers(team)) {
        for (int width : widths) {
          for (long n : rows) {
            Line line = measure(n, width, workers);
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

  private Line measure(long n, int width, Workers workers) {
    try (Arena arena = Arena.ofShared()) {
      DenseMatrix h = random(arena, n, width);
      DenseMatrix w = random(arena, width, width);
      DenseMatrix y = DenseMatrix.allocate(arena, n, width);
      DenseMatrix gradient = DenseMatrix.allocate(arena, width, width);
      MemorySegment bias = random(arena, 1, width).data();
      Matmul java = Matmul.java();
      Dropout drops = new Dropout(7, 1, dropout);
      RowIds ids = RowIds.from(0);
      List<Runnable> sides = new ArrayList<>();
      sides.add(
          () -> java.multiply(h, w, y, workers, Epilogues.biasReluDropout(bias, drops, 0, ids)));
      sides.add(() -> {
        java.multiply(h, w, y, workers, RowEpilogue.NONE);
        Epilogues.apply(Epilogues.bias(bias), y, workers);
        Epilogues.apply(Epilogues.relu(), y, workers);
        drops.apply(y, 0, ids, workers);
      });
      sides.add(() -> java.multiply(h, w, y, workers, RowEpilogue.NONE));
      sides.add(() -> java.transposedMultiply(h, y, gradient, workers));
      if (!oneDnn.equals("none")) {
        OneDnnUpdate update = new OneDnnUpdate(oneDnn, h, w, bias, y, workers.threads());
        Matmul other = Matmul.oneDnn(oneDnn);
        requireSame(java, update, h, w, bias, y, workers);
        sides.add(() -> {
          update.run(workers);
          drops.apply(y, 0, ids, workers);
        });
        sides.add(() -> other.transposedMultiply(h, y, gradient, workers));
      }
      double[] ms =
          TeamTimer.of(workers, runs, cpuTime).medians(sides, (int) Math.ceilDiv(SAMPLE_ROWS, n));
      return new Line(
          workers.threads(),
          n,
          width,
          ms[0],
          ms[1],
          ms[2],
          ms[1] / ms[0],
          ms[1] / ms[2],
          ms.length > 4 ? ms[4] : 0,
          ms[3],
          ms.length > 4 ? ms[5] : 0);
    }
  }

  /// What is compared must be the same but for rounding.
  private static void requireSame(
      Matmul java,
      OneDnnUpdate update,
      DenseMatrix h,
      DenseMatrix w,
      MemorySegment bias,
      DenseMatrix y,
      Workers workers) {
    update.run(workers);
    float[] found = y.rows(y.rows() - 1, y.rows()).toArray()[0];
    java.multiply(h, w, y, workers, Epilogues.biasRelu(bias));
    float[] expected = y.rows(y.rows() - 1, y.rows()).toArray()[0];
    for (int j = 0; j < found.length; j++) {
      if (Math.abs(found[j] - expected[j]) > h.cols() * h.cols() * 0x1p-23f) {
        throw new IllegalStateException(
            "update: oneDNN has %s in column %d of the last row, expected %s"
                .formatted(found[j], j, expected[j]));
      }
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
        "%7d %7d %6d %9.2f %9.2f %9.2f %6.2f %6.2f %9.2f %9.2f %9.2f%n",
        line.threads,
        line.rows,
        line.width,
        line.fused,
        line.unfused,
        line.product,
        line.gain,
        line.most,
        line.oneDnn,
        line.gradient,
        line.oneDnnGradient);
  }
}
