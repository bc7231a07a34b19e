package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.Spmm;
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

/// [Spmm] on an R-MAT graph, in milliseconds a product, with its effective GB/s (`nnz (4 + 4 f) + 8
/// n + 4 n f` bytes), the triad's GB/s and the first as a share of the second.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class SpmmBenchmark {
  /// The operands, and the threads.
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls make() before anything else.
  public static class Operands {
    /// log2 of the vertices.
    @Param("18")
    int scale;

    /// Columns of the dense matrix.
    @Param({"1", "16", "64", "100", "128", "256"})
    int features;

    /// Size of the team of threads.
    @Param({"1", "2"})
    int threads;

    private final Arena arena = Arena.ofShared();
    private Workers workers;
    private Spmm spmm;
    private DenseMatrix x;
    private DenseMatrix y;
    private double bytes;
    private double triad;
    private long nanoseconds;
    private long products;

    /// Makes the graph and measures the triad.
    @Setup
    public void make() {
      CsrMatrix a = RMat.normalised(arena, scale, 16, 1);
      workers = new Workers(threads);
      spmm = new Spmm(a);
      x = DenseMatrix.allocate(arena, a.cols(), features);
      y = DenseMatrix.allocate(arena, a.rows(), features);
      x.fill(1f);
      bytes = a.nnz() * (4.0 + 4.0 * features) + a.rows() * (8.0 + 4.0 * features);
      triad = Triad.gigabytesPerSecond(workers);
    }

    /// Forgets the iteration before.
    @Setup(Level.Iteration)
    public void reset() {
      nanoseconds = 0;
      products = 0;
    }

    /// Completes JMH's line of the iteration.
    @TearDown(Level.Iteration)
    public void print() {
      double rate = bytes * products / nanoseconds;
      System.out.printf(
          "%.1f GB/s, triad %.1f GB/s, share %.0f%%; ", rate, triad, 100 * rate / triad);
    }

    /// Frees the memory.
    @TearDown
    public void free() {
      workers.close();
      arena.close();
    }
  }

  /// `y = a x`.
  @Benchmark
  public void multiply(Operands operands) {
    long start = System.nanoTime();
    operands.spmm.multiply(operands.x, operands.y, operands.workers, RowEpilogue.NONE);
    operands.nanoseconds += System.nanoTime() - start;
    operands.products++;
  }
}
