package dev.gossamer.matrix.dense;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.stream.IntStream;
import jdk.incubator.vector.FloatVector;

/// Seeded inputs of the kernel tests.
public final class Samples {
  public static final int LANES = FloatVector.SPECIES_PREFERRED.length();

  private Samples() {}

  /// A matrix of numbers in `[-1, 1)`.
  public static DenseMatrix random(Arena arena, long rows, int cols, long seed) {
    Random random = new Random(seed);
    DenseMatrix matrix = DenseMatrix.allocate(arena, rows, cols);
    for (long i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        matrix.set(i, j, 2 * random.nextFloat() - 1);
      }
    }
    return matrix;
  }

  /// Widths around the vector length, and a prime.
  public static IntStream widths() {
    return IntStream.of(1, LANES - 1, LANES, LANES + 1, 2 * LANES, 3 * LANES, 67, 4 * LANES + 3);
  }

  /// The softmax of logits, in float64.
  static double[] probabilities(float[] z) {
    double max = Double.NEGATIVE_INFINITY;
    for (float v : z) {
      max = Math.max(max, v);
    }
    double sum = 0;
    double[] p = new double[z.length];
    for (int c = 0; c < z.length; c++) {
      p[c] = Math.exp(z[c] - max);
      sum += p[c];
    }
    for (int c = 0; c < z.length; c++) {
      p[c] /= sum;
    }
    return p;
  }

  /// Logits up to `range` in magnitude.
  static DenseMatrix logits(Arena arena, int n, int classes, float range) {
    DenseMatrix z = random(arena, n, classes, classes);
    for (int i = 0; i < n; i++) {
      for (int c = 0; c < classes; c++) {
        z.set(i, c, z.get(i, c) * range);
      }
    }
    return z;
  }
}
