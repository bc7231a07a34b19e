package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.Spmm;
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

/// Sparse times dense on an R-MAT graph: [Spmm] beside a C kernel with AVX-512 intrinsics and
/// software prefetch, on the same memory, by the same threads, in turns.
@Command(name = "spmm", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class SpmmComparison implements Callable<Integer> {
  private static final double MOST_DIFFERENCE = 1e-4;

  @Option(names = "--scale", description = "log2 of the vertices")
  private int scale = 20;

  @Option(names = "--edge-factor", description = "edges drawn per vertex, before mirroring")
  private int edgeFactor = 16;

  @Option(names = "--features", split = ",", description = "columns of the dense matrix")
  private int[] features = {16, 64, 128, 256};

  @Option(names = "--threads", split = ",", description = "sizes of the team of threads")
  private int[] threads = {1, 2};

  @Option(names = "--runs", description = "timed products of each side; the median counts")
  private int runs = 7;

  @Option(names = "--seed", description = "of the graph and the dense matrix")
  private long seed = 1;

  @Option(names = "--json", description = "print one JSON document instead of the table")
  private boolean json;

  /// One line of the table. GB/s are effective: `nnz (4 + 4 f) + 8 n + 4 n f` bytes, the pattern's,
  /// for both sides, as if nothing came from a cache; `share` is that of the triad's bandwidth.
  private record Line(
      int threads,
      int features,
      double gossamerMs,
      double nativeMs,
      double ratio,
      double gossamerGbs,
      double nativeGbs,
      double triadGbs,
      double share,
      double difference) {}

  private record Report(Machine machine, long rows, long nnz, int runs, List<Line> lines) {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new SpmmComparison()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    PrintStream out = System.out;
    try (Arena arena = Arena.ofShared()) {
      CsrMatrix a = RMat.normalised(arena, scale, edgeFactor, seed);
      if (!json) {
        out.print(Machine.here().text());
        out.printf("matrix      R-MAT %s, pattern with row and column scale%n%n", a);
        out.printf(
            "%7s %5s %13s %10s %6s %13s %9s %11s %7s%n",
            "threads",
            "f",
            "Gossamer ms",
            "C ms",
            "ratio",
            "Gossamer GB/s",
            "C GB/s",
            "triad GB/s",
            "share");
      }
      List<Line> lines = compare(a, arena, out);
      if (json) {
        Report report = new Report(Machine.here(), a.rows(), a.nnz(), runs, lines);
        out.println(
            JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(report));
      } else {
        out.printf(
            "%nmedians of %d interleaved products; ratio = C ms / Gossamer ms; GB/s of nnz (4 + 4 f)"
                + " + 8 n + 4 n f bytes%n",
            runs);
      }
    }
    return 0;
  }

  private List<Line> compare(CsrMatrix a, Arena arena, PrintStream out) throws Exception {
    int widest = Arrays.stream(features).max().orElseThrow();
    DenseMatrix x = random(arena, a.cols(), widest);
    DenseMatrix y = DenseMatrix.allocate(arena, a.rows(), widest);
    DenseMatrix z = DenseMatrix.allocate(arena, a.rows(), widest);
    List<Line> lines = new ArrayList<>();
    Spmm spmm = new Spmm(a);
    try (NativeSpmm yardstick = new NativeSpmm(a)) {
      for (int team : threads) {
        try (Workers workers = new Workers(team)) {
          double triad = Triad.gigabytesPerSecond(workers);
          for (int f : features) {
            Line line =
                measure(
                    spmm,
                    yardstick,
                    x.reshaped(a.cols(), f),
                    y.reshaped(a.rows(), f),
                    z.reshaped(a.rows(), f),
                    workers,
                    triad);
            lines.add(line);
            if (!json) {
              print(line, out);
            }
          }
        }
      }
    }
    return lines;
  }

  private static void print(Line line, PrintStream out) {
    out.printf(
        "%7d %5d %13.1f %10.1f %6.2f %13.1f %9.1f %11.1f %6.0f%%%n",
        line.threads,
        line.features,
        line.gossamerMs,
        line.nativeMs,
        line.ratio,
        line.gossamerGbs,
        line.nativeGbs,
        line.triadGbs,
        100 * line.share);
  }

  private Line measure(
      Spmm spmm,
      NativeSpmm yardstick,
      DenseMatrix x,
      DenseMatrix y,
      DenseMatrix z,
      Workers workers,
      double triad) {
    spmm.multiply(x, y, workers, RowEpilogue.NONE);
    yardstick.multiply(x, z, workers);
    double difference = difference(y, z);
    if (!(difference <= MOST_DIFFERENCE)) {
      throw new IllegalStateException(
          "the two sides differ by %g of the largest element".formatted(difference));
    }
    double[] ours = new double[runs];
    double[] theirs = new double[runs];
    for (int run = -1; run < runs; run++) {
      double mine = milliseconds(() -> spmm.multiply(x, y, workers, RowEpilogue.NONE));
      double its = milliseconds(() -> yardstick.multiply(x, y, workers));
      if (run >= 0) {
        ours[run] = mine;
        theirs[run] = its;
      }
    }
    return line(
        spmm.matrix(),
        x.cols(),
        workers.threads(),
        median(ours),
        median(theirs),
        triad,
        difference);
  }

  private static Line line(
      CsrMatrix a,
      int f,
      int threads,
      double ours,
      double theirs,
      double triad,
      double difference) {
    double bytes = a.nnz() * (4.0 + 4.0 * f) + a.rows() * (8.0 + 4.0 * f);
    double rate = bytes / ours / 1e6;
    return new Line(
        threads,
        f,
        ours,
        theirs,
        theirs / ours,
        rate,
        bytes / theirs / 1e6,
        triad,
        rate / triad,
        difference);
  }

  private static double milliseconds(Runnable work) {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e6;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  private DenseMatrix random(Arena arena, int rows, int cols) {
    DenseMatrix matrix = DenseMatrix.allocate(arena, rows, cols);
    SplittableRandom random = new SplittableRandom(seed + 1);
    for (long i = 0; i < (long) rows * cols; i++) {
      matrix.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble() - 0.5f);
    }
    return matrix;
  }

  /// Largest difference of two elements, as a share of the largest element.
  private static double difference(DenseMatrix y, DenseMatrix z) {
    double difference = 0;
    double largest = 0;
    for (long i = 0; i < y.rows() * y.cols(); i++) {
      float left = y.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
      float right = z.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
      difference = Math.max(difference, Math.abs((double) left - right));
      largest = Math.max(largest, Math.abs((double) right));
    }
    return difference / largest;
  }
}
