package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.sparse.Spgemm;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// [Spgemm] on an R-MAT graph, in milliseconds a product, beside the same product in plain Java:
/// one dense accumulator, a list of the columns that it holds, and a sort.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class SpgemmBenchmark {
  /// The operands.
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls make() before anything else.
  public static class Operands {
    /// log2 of the vertices.
    @Param("18")
    int scale;

    /// Rows of the left matrix.
    @Param("64")
    int rows;

    /// Entries of each of them: 1 copies rows, few make hash tables, many make dense rows.
    @Param({"1", "4", "512"})
    int entries;

    private final Arena arena = Arena.ofShared();
    private CsrMatrix a;
    private CsrMatrix b;
    private Spgemm spgemm;
    private Workers workers;

    /// Makes the graph.
    @Setup
    public void make() {
      b = RMat.normalised(arena, scale, 16, 1).withScales(null, null);
      long[] pointers = new long[rows + 1];
      Arrays.setAll(pointers, i -> (long) i * entries);
      int[] columns = new SplittableRandom(1).ints((long) rows * entries, 0, b.cols()).toArray();
      a = CsrMatrix.of(arena, b.cols(), pointers, columns, null);
      spgemm = new Spgemm(b);
      workers = new Workers(1);
    }

    /// Frees the memory.
    @TearDown
    public void free() {
      workers.close();
      arena.close();
    }
  }

  /// `C = A B`.
  @Benchmark
  public long multiply(Operands operands) {
    try (Arena arena = Arena.ofShared()) {
      return operands.spgemm.multiply(arena, operands.a, operands.workers).nnz();
    }
  }

  /// The same in plain Java.
  @Benchmark
  public long plain(Operands operands) {
    try (Arena arena = Arena.ofShared()) {
      return plain(arena, operands.a, operands.b).nnz();
    }
  }

  private static CsrMatrix plain(Arena arena, CsrMatrix a, CsrMatrix b) {
    float[] sums = new float[b.cols()];
    boolean[] held = new boolean[b.cols()];
    int[] columns = new int[1024];
    float[] values = new float[1024];
    long[] pointers = new long[(int) a.rows() + 1];
    int size = 0;
    for (int i = 0; i < a.rows(); i++) {
      int first = size;
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
        int k = a.column(e);
        for (long f = b.rowPointer(k); f < b.rowPointer(k + 1L); f++) {
          int column = b.column(f);
          if (!held[column]) {
            held[column] = true;
            if (size == columns.length) {
              columns = Arrays.copyOf(columns, 2 * size);
              values = Arrays.copyOf(values, 2 * size);
            }
            columns[size++] = column;
          }
          sums[column] += a.value(e) * b.value(f);
        }
      }
      Arrays.sort(columns, first, size);
      for (int k = first; k < size; k++) {
        values[k] = sums[columns[k]];
        sums[columns[k]] = 0;
        held[columns[k]] = false;
      }
      pointers[i + 1] = size;
    }
    return CsrMatrix.of(
        arena, b.cols(), pointers, Arrays.copyOf(columns, size), Arrays.copyOf(values, size));
  }
}
