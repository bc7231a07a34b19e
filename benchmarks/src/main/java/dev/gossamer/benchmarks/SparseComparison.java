package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.state.CompressedForm;
import dev.gossamer.nn.state.CompressedState;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Weight;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/// A fully connected layer whose square weights are pruned (S. Singh and A. Bhatele, IPDPS 2023,
/// figure 1): its product, both products backward and the refresh of what products read, with dense
/// 16-bit weights that hold zeros, and with sparse ones. In turns on the same activations.
@Command(name = "sparse", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class SparseComparison implements Callable<Integer> {
  /// Operations of the dense side that a sample takes at least, so that its time can be told.
  private static final double SAMPLE_OPERATIONS = 2e9;

  private static final String NAME = "weight";

  @Option(names = "--rows", description = "rows of activations")
  private int rows = 576;

  @Option(names = "--widths", split = ",", description = "rows and columns of the weights")
  private int[] widths = {128, 256, 512, 1024, 2048, 4096};

  @Option(names = "--sparsity", split = ",", description = "shares of the weights that are pruned")
  private double[] sparsities = {0.9};

  @Option(names = "--block", description = "rows and columns of the blocks that are pruned")
  private int block = 1;

  @Option(names = "--threads", split = ",", description = "sizes of the team of threads")
  private int[] threads = {1, 2};

  @Option(names = "--runs", description = "timed runs of each side; the median counts")
  private int runs = 7;

  @Option(
      names = "--cpu-time",
      description =
          "count the processor time of the team instead of the clock's, divided by the"
              + " threads: for a machine that others use too")
  private boolean cpuTime;

  @Option(names = "--json", description = "print one JSON document instead of the table")
  private boolean json;

  private enum Phase {
    FORWARD,
    INPUT_GRADIENT,
    WEIGHT_GRADIENT,
    REFRESH;

    void run(ModelState state, DenseMatrix x, DenseMatrix y, Workers workers) {
      Weight weight = state.parameter(NAME);
      switch (this) {
        case FORWARD -> weight.multiply(x, y, workers, RowEpilogue.NONE);
        case INPUT_GRADIENT -> weight.multiplyTransposed(y, x, workers, RowEpilogue.NONE);
        case WEIGHT_GRADIENT -> weight.addGradient(x, y, workers);
        case REFRESH -> state.refresh(workers);
      }
    }
  }

  /// One line of the table: milliseconds of both sides and GFLOP/s of the `6 m n^2` operations that
  /// a dense layer takes, whether or not they are done.
  ///
  /// @param dense by phase, as `sparse`
  /// @param transposed milliseconds of the forward product alone, as a product of the sparse
  ///   weights with activations that are transposed as a whole, before it
  /// @param ratio `dense / sparse`, of the three products
  private record Line(
      int threads,
      int width,
      double sparsity,
      List<Double> dense,
      List<Double> sparse,
      double transposed,
      double denseRate,
      double sparseRate,
      double ratio) {
    Line {
      dense = List.copyOf(dense);
      sparse = List.copyOf(sparse);
    }
  }

  private record Report(Machine machine, int rows, int runs, boolean cpuTime, List<Line> lines) {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new SparseComparison()).execute(arguments));
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    if (!json) {
      out.print(Machine.here().text());
      out.printf(
          "%n%7s %6s %5s  %31s  %31s %7s  %7s %7s %6s%n",
          "", "", "", "dense ms", "sparse ms", "", "dense", "sparse", "");
      out.printf(
          "%7s %6s %5s  %7s %7s %7s %7s  %7s %7s %7s %7s %7s  %7s %7s %6s%n",
          "threads", "width", "zeros", "XW", "YW^T", "X^TY", "refresh", "XW", "YW^T", "X^TY",
          "refresh", "spmm", "GFLOP/s", "GFLOP/s", "ratio");
    }
    List<Line> lines = new ArrayList<>();
    for (int team : threads) {
      try (Workers workers = new Workers(team)) {
        for (double sparsity : sparsities) {
          for (int width : widths) {
            Line line = measure(width, sparsity, workers);
            lines.add(line);
            if (!json) {
              print(line, out);
            }
          }
        }
      }
    }
    if (json) {
      Report report = new Report(Machine.here(), rows, runs, cpuTime, lines);
      out.println(JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(report));
    }
    return 0;
  }

  private Line measure(int width, double sparsity, Workers workers) {
    ParameterLayout layout = ParameterLayout.builder().add(NAME, width, width, true).build();
    BitSet kept = kept(width, sparsity);
    Mask mask = new Mask(layout, Map.of(NAME, kept));
    try (Arena arena = Arena.ofShared()) {
      CompressedState dense =
          new CompressedState(arena, mask, CompressedForm.dense(NumberFormat.BF16));
      fill(DenseMatrix.wrap(dense.weights(), 1, kept.cardinality()), 1 / Math.sqrt(width));
      dense.refresh(workers);
      CompressedState sparse =
          CompressedState.of(arena, dense, mask, CompressedForm.sparse(NumberFormat.BF16), workers);
      DenseMatrix x = DenseMatrix.allocate(arena, rows, width);
      DenseMatrix y = DenseMatrix.allocate(arena, rows, width);
      fill(x, 1);
      fill(y, 1);
      List<Runnable> sides = new ArrayList<>();
      for (ModelState state : List.of(dense, sparse)) {
        for (Phase phase : Phase.values()) {
          sides.add(() -> phase.run(state, x, y, workers));
        }
      }
      Spmm spmm = new Spmm(csr(arena, width, kept));
      DenseMatrix wide = x.reshaped(width, rows);
      DenseMatrix product = DenseMatrix.allocate(arena, width, rows);
      sides.add(() -> spmm.multiply(wide, product, workers, RowEpilogue.NONE));
      double operations = 2.0 * rows * width * width;
      double[] ms =
          TeamTimer.of(workers, runs, cpuTime)
              .medians(sides, (int) Math.ceil(SAMPLE_OPERATIONS / operations));
      double denseSum = ms[0] + ms[1] + ms[2];
      double sparseSum = ms[4] + ms[5] + ms[6];
      return new Line(
          workers.threads(),
          width,
          sparsity,
          Arrays.stream(ms, 0, 4).boxed().toList(),
          Arrays.stream(ms, 4, 8).boxed().toList(),
          ms[8],
          3e-6 * operations / denseSum,
          3e-6 * operations / sparseSum,
          denseSum / sparseSum);
    }
  }

  private BitSet kept(int width, double sparsity) {
    SplittableRandom random = new SplittableRandom(width);
    BitSet kept = new BitSet(width * width);
    for (int i = 0; i < width; i += block) {
      for (int j = 0; j < width; j += block) {
        if (random.nextDouble() >= sparsity) {
          for (int k = i; k < Math.min(width, i + block); k++) {
            kept.set(k * width + j, k * width + Math.min(width, j + block));
          }
        }
      }
    }
    return kept;
  }

  /// The survivors with values of one.
  private static CsrMatrix csr(Arena arena, int width, BitSet kept) {
    long[] pointers = new long[width + 1];
    for (int i = 0; i < width; i++) {
      pointers[i + 1] = pointers[i] + kept.get(i * width, (i + 1) * width).cardinality();
    }
    int[] columns = kept.stream().map(e -> e % width).toArray();
    float[] values = new float[columns.length];
    Arrays.fill(values, 1f);
    return CsrMatrix.of(arena, width, pointers, columns, values);
  }

  private static void fill(DenseMatrix matrix, double bound) {
    SplittableRandom random = new SplittableRandom(matrix.rows());
    for (long i = 0; i < matrix.rows() * matrix.cols(); i++) {
      double value = random.nextDouble(-bound, bound);
      matrix.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
    }
  }

  private static void print(Line line, PrintStream out) {
    out.printf("%7d %6d %5.2f ", line.threads, line.width, line.sparsity);
    line.dense.forEach(ms -> out.printf(" %7.3f", ms));
    out.print(" ");
    line.sparse.forEach(ms -> out.printf(" %7.3f", ms));
    out.printf(
        " %7.3f  %7.1f %7.1f %6.2f%n",
        line.transposed, line.denseRate, line.sparseRate, line.ratio);
  }
}
