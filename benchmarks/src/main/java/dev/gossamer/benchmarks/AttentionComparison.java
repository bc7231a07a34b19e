package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.Attention;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.attention.EdgeMessages;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.EdgeRows;
import dev.gossamer.matrix.attention.EdgeTerms;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.Spmm;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/// The kernels of graph attention, and of messages that read features of edges, on an R-MAT graph
/// beside [Spmm] with as many columns, in turns.
@Command(name = "attention", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class AttentionComparison implements Callable<Integer> {
  /// Runs that are not timed: the compiler takes several to see all loops.
  private static final int WARM_UP = 20;

  @Option(names = "--scale", description = "log2 of the vertices")
  private int scale = 14;

  @Option(names = "--edge-factor", description = "edges drawn per vertex, before mirroring")
  private int edgeFactor = 48;

  @Option(names = "--heads", split = ",", description = "K, of each line")
  private int[] heads = {4, 4, 1, 8};

  @Option(names = "--widths", split = ",", description = "D, of each line: columns of a head")
  private int[] widths = {16, 2, 64, 8};

  @Option(
      names = "--edge-features",
      split = ",",
      description = "d, of each line of messages: features of an edge")
  private int[] edgeFeatures = {8, 8, 32};

  @Option(
      names = "--message-widths",
      split = ",",
      description = "f, of each line of messages: columns")
  private int[] messageWidths = {16, 64, 64};

  @Option(names = "--threads", split = ",", description = "sizes of the team of threads")
  private int[] threads = {1, 2};

  @Option(names = "--dropout", description = "rate of the pass that drops coefficients")
  private float dropout = 0.3f;

  @Option(names = "--runs", description = "timed runs of each side; the best counts")
  private int runs = 15;

  @Option(names = "--seed", description = "of the graph and the matrices")
  private long seed = 1;

  @Option(names = "--json", description = "print one JSON document instead of the table")
  private boolean json;

  /// One line of the table: millions of edges per second.
  ///
  /// @param dropped forward with dropout of the coefficients
  /// @param ratio time of both passes without dropout, divided by that of two products
  private record Line(
      int threads,
      int heads,
      int width,
      double forward,
      double dropped,
      double targets,
      double sources,
      double spmm,
      double ratio) {}

  /// One line of the table of messages: millions of edges per second.
  ///
  /// @param features of an edge
  /// @param weights the gradient of the weight of features
  /// @param ratio time of both passes, divided by that of two products
  private record MessageLine(
      int threads,
      int features,
      int width,
      double forward,
      double weights,
      double sources,
      double spmm,
      double ratio) {}

  private record Report(
      Machine machine,
      long rows,
      long edges,
      int runs,
      List<Line> lines,
      List<MessageLine> messages) {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new AttentionComparison()).execute(arguments));
  }

  @Override
  public Integer call() {
    if (heads.length != widths.length) {
      throw new IllegalArgumentException("--heads and --widths need as many numbers each");
    }
    if (edgeFeatures.length != messageWidths.length) {
      throw new IllegalArgumentException(
          "--edge-features and --message-widths need as many numbers each");
    }
    PrintStream out = System.out;
    try (Arena arena = Arena.ofShared()) {
      CsrMatrix a = RMat.normalised(arena, scale, edgeFactor, seed);
      EdgePattern edges = new EdgePattern(a);
      EdgePattern.Transposed transposed = edges.transposed(arena);
      Spmm spmm = new Spmm(a);
      if (!json) {
        out.print(Machine.here().text());
        out.printf("matrix      R-MAT %s%n%nmillions of edges per second%n", a);
        out.printf(
            "%7s %5s %5s %9s %9s %9s %9s %9s %6s%n",
            "threads", "K", "D", "forward", "dropped", "targets", "sources", "SpMM", "ratio");
      }
      List<Line> lines =
          lines(
              heads.length,
              (i, workers) -> measure(edges, transposed, spmm, heads[i], widths[i], workers),
              line -> print(line, out));
      if (!json) {
        out.printf(
            "%n%7s %5s %5s %9s %9s %9s %9s %6s%n",
            "threads", "d", "f", "forward", "weights", "sources", "SpMM", "ratio");
      }
      List<MessageLine> messages =
          lines(
              edgeFeatures.length,
              (i, workers) ->
                  messages(edges, transposed, spmm, edgeFeatures[i], messageWidths[i], workers),
              line -> print(line, out));
      if (json) {
        Report report = new Report(Machine.here(), a.rows(), a.nnz(), runs, lines, messages);
        out.println(
            JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(report));
      }
    }
    return 0;
  }

  /// The lines of a table, for each team of threads, printed as soon as they are measured.
  ///
  /// @param count of lines of each team
  /// @param measured by the number of a line
  /// @param printed unless the report is JSON
  private <T> List<T> lines(
      int count, BiFunction<Integer, Workers, T> measured, Consumer<T> printed) {
    List<T> lines = new ArrayList<>();
    for (int team : threads) {
      try (Workers workers = new Workers(team)) {
        for (int i = 0; i < count; i++) {
          T line = measured.apply(i, workers);
          lines.add(line);
          if (!json) {
            printed.accept(line);
          }
        }
      }
    }
    return lines;
  }

  private MessageLine messages(
      EdgePattern pattern,
      EdgePattern.Transposed transposed,
      Spmm spmm,
      int d,
      int f,
      Workers workers) {
    try (Arena arena = Arena.ofShared()) {
      long n = pattern.targets();
      DenseMatrix h = random(arena, n, f);
      DenseMatrix t = random(arena, n, f);
      DenseMatrix y = DenseMatrix.allocate(arena, n, f);
      DenseMatrix gradient = DenseMatrix.allocate(arena, d, f);
      MemorySegment numbers = arena.allocate(EdgeRows.bytes(pattern.count()), Long.BYTES);
      for (long e = 0; e < pattern.count(); e++) {
        numbers.setAtIndex(ValueLayout.JAVA_LONG, e, e);
      }
      EdgeRows features = new EdgeRows(random(arena, pattern.count(), d), numbers);
      EdgePattern edges = pattern.withTerms(new EdgeTerms(features, random(arena, d, f)));
      double[] ms =
          best(
              List.of(
                  () -> EdgeMessages.forward(edges, h, y, workers),
                  () -> EdgeMessages.weightGradient(edges, h, t, gradient, workers),
                  () -> EdgeMessages.sourceGradients(edges, transposed, h, t, y, workers),
                  () -> spmm.multiply(h, y, workers, RowEpilogue.NONE)));
      double thousands = edges.count() * 1e-3;
      return new MessageLine(
          workers.threads(),
          d,
          f,
          thousands / ms[0],
          thousands / ms[1],
          thousands / ms[2],
          thousands / ms[3],
          (ms[0] + ms[1] + ms[2]) / (2 * ms[3]));
    }
  }

  private Line measure(
      EdgePattern edges,
      EdgePattern.Transposed transposed,
      Spmm spmm,
      int k,
      int d,
      Workers workers) {
    try (Arena arena = Arena.ofShared()) {
      long n = edges.targets();
      DenseMatrix z = random(arena, n, k * d);
      DenseMatrix t = random(arena, n, k * d);
      DenseMatrix e = random(arena, n, 2 * k);
      DenseMatrix vectors = random(arena, 2L * k, d);
      DenseMatrix alpha = DenseMatrix.allocate(arena, edges.count(), k);
      DenseMatrix g = DenseMatrix.allocate(arena, edges.count(), 2 * k);
      DenseMatrix y = DenseMatrix.allocate(arena, n, k * d);
      DenseMatrix eGradient = DenseMatrix.allocate(arena, n, 2 * k);
      Attention attention = new Attention(k, d);
      RowIds ids = RowIds.from(0);
      EdgeDropout drops = new EdgeDropout(seed, 1, dropout, 0);
      RowEpilogue none = RowEpilogue.NONE;
      List<Runnable> sides =
          List.of(
              () -> attention.forward(edges, z, e, alpha, y, drops, ids, workers, none),
              () -> attention.forward(edges, z, e, alpha, y, null, ids, workers, none),
              () -> attention.targetGradients(edges, z, e, alpha, t, 1f, g, eGradient, workers),
              () ->
                  attention.sourceGradients(
                      transposed, t, g, vectors.data(), eGradient, y, workers),
              () -> spmm.multiply(z, y, workers, none));
      double[] ms = best(sides);
      double thousands = edges.count() * 1e-3;
      return new Line(
          workers.threads(),
          k,
          d,
          thousands / ms[1],
          thousands / ms[0],
          thousands / ms[2],
          thousands / ms[3],
          thousands / ms[4],
          (ms[1] + ms[2] + ms[3]) / (2 * ms[4]));
    }
  }

  private double[] best(List<Runnable> sides) {
    double[] best = new double[sides.size()];
    Arrays.fill(best, Double.POSITIVE_INFINITY);
    for (int run = -WARM_UP; run < runs; run++) {
      for (int side = 0; side < best.length; side++) {
        long start = System.nanoTime();
        sides.get(side).run();
        double ms = (System.nanoTime() - start) / 1e6;
        best[side] = run < 0 ? best[side] : Math.min(best[side], ms);
      }
    }
    return best;
  }

  private DenseMatrix random(Arena arena, long rows, int cols) {
    DenseMatrix matrix = DenseMatrix.allocate(arena, rows, cols);
    SplittableRandom random = new SplittableRandom(seed + rows * cols);
    for (long i = 0; i < rows * cols; i++) {
      matrix.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
    }
    return matrix;
  }

  private static void print(Line line, PrintStream out) {
    out.printf(
        "%7d %5d %5d %9.1f %9.1f %9.1f %9.1f %9.1f %6.1f%n",
        line.threads,
        line.heads,
        line.width,
        line.forward,
        line.dropped,
        line.targets,
        line.sources,
        line.spmm,
        line.ratio);
  }

  private static void print(MessageLine line, PrintStream out) {
    out.printf(
        "%7d %5d %5d %9.1f %9.1f %9.1f %9.1f %6.1f%n",
        line.threads,
        line.features,
        line.width,
        line.forward,
        line.weights,
        line.sources,
        line.spmm,
        line.ratio);
  }
}
