package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// The four dense products in Java on one thread, on round and on awkward widths: milliseconds for
/// 100 000 rows.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"})
@SuppressWarnings("NullAway.Init") // JMH calls allocate() before anything else.
public class MatmulBenchmark {
  private static final long ROWS = 100_000;

  @Param({"16", "47", "128", "207"})
  private int width;

  private final Matmul matmul = Matmul.java();
  private final Arena arena = Arena.ofShared();
  private final Workers workers = new Workers(1);
  private DenseMatrix h;
  private DenseMatrix w;
  private DenseMatrix g;
  private DenseMatrix gradient;

  @Setup(Level.Trial)
  public void allocate() {
    h = DenseMatrix.allocate(arena, ROWS, width);
    w = DenseMatrix.allocate(arena, width, width);
    g = DenseMatrix.allocate(arena, ROWS, width);
    gradient = DenseMatrix.allocate(arena, width, width);
    h.fill(0.5f);
    w.fill(0.25f);
    g.fill(0.125f);
  }

  @TearDown(Level.Trial)
  public void free() {
    workers.close();
    arena.close();
  }

  @Benchmark
  public DenseMatrix multiply() {
    matmul.multiply(h, w, g, workers, RowEpilogue.NONE);
    return g;
  }

  @Benchmark
  public DenseMatrix multiplyTransposed() {
    matmul.multiplyTransposed(h, w, g, workers, RowEpilogue.NONE);
    return g;
  }

  @Benchmark
  public DenseMatrix multiplyTransposedMasked() {
    matmul.multiplyTransposedMasked(h, w, g, 2f, workers);
    return g;
  }

  @Benchmark
  public DenseMatrix transposedMultiply() {
    matmul.transposedMultiply(h, g, gradient, workers);
    return gradient;
  }
}
