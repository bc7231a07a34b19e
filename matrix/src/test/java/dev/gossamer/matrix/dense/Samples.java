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
}
