package dev.gossamer.cli.machine;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.Arena;

/// Measures the peak rate of matrix products on this machine.
public final class MatmulPeak {
  /// Matrices of this size stay in the second- and third-level caches.
  private static final int SIZE = 512;

  private static final long LEAST_NANOS = 200_000_000;

  private MatmulPeak() {}

  /// Returns floating-point operations per second: the fastest product within 0.2 s.
  public static double measure(Workers workers) {
    Matmul matmul = Matmul.java();
    try (Arena arena = Arena.ofShared()) {
      DenseMatrix a = DenseMatrix.allocate(arena, SIZE, SIZE);
      DenseMatrix b = DenseMatrix.allocate(arena, SIZE, SIZE);
      DenseMatrix c = DenseMatrix.allocate(arena, SIZE, SIZE);
      a.fill(1);
      b.fill(1);
      long start = System.nanoTime();
      long best = Long.MAX_VALUE;
      do {
        long begin = System.nanoTime();
        matmul.multiply(a, b, c, workers, RowEpilogue.NONE);
        best = Math.min(best, System.nanoTime() - begin);
      } while (System.nanoTime() - start < LEAST_NANOS);
      return 2.0 * SIZE * SIZE * SIZE / (best / 1e9);
    }
  }
}
