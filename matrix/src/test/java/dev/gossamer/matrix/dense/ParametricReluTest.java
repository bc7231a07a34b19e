package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParametricReluTest {
  private static final float SLOPE = 0.3f;

  private static DenseMatrix random(Arena arena, int rows, int cols, long seed) {
    Random random = new Random(seed);
    DenseMatrix x = DenseMatrix.allocate(arena, rows, cols);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        x.set(i, j, random.nextInt(5) == 0 ? 0 : (float) random.nextGaussian());
      }
    }
    return x;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 16, 17, 101})
  void resultsAndGradientsFollowTheDefinition(int cols) {
    int rows = 23;
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(2)) {
      DenseMatrix x = random(arena, rows, cols, 1);
      DenseMatrix t = random(arena, rows, cols, 2);
      DenseMatrix y = random(arena, rows, cols, 1);
      Epilogues.apply(ParametricRelu.rows(SLOPE), y, workers);
      DenseMatrix g = random(arena, rows, cols, 1);
      Epilogues.apply(ParametricRelu.gated(t, SLOPE), g, workers);
      double ofSlope = 0;
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
          float v = x.get(i, j);
          assertThat(y.get(i, j)).isEqualTo(v > 0 ? v : SLOPE * v);
          assertThat(g.get(i, j)).isEqualTo(v > 0 ? t.get(i, j) : SLOPE * t.get(i, j));
          ofSlope += v > 0 ? 0 : (double) v * t.get(i, j);
        }
      }
      // Products are exact in float64; sums of at most 2,323 of about 1.
      assertThat(ParametricRelu.slopeGradient(x, t, workers)).isCloseTo(ofSlope, within(1e-10));
    }
  }

  @Test
  void theSumDoesNotDependOnTheNumberOfThreads() {
    try (Arena arena = Arena.ofShared();
        Workers one = new Workers(1);
        Workers three = new Workers(3)) {
      DenseMatrix x = random(arena, 5000, 33, 3);
      DenseMatrix t = random(arena, 5000, 33, 4);
      assertThat(ParametricRelu.slopeGradient(x, t, three))
          .isEqualTo(ParametricRelu.slopeGradient(x, t, one));
    }
  }

  @Test
  void notANumberStays() {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      DenseMatrix x = DenseMatrix.allocate(arena, 1, 3);
      x.set(0, 1, Float.NaN);
      Epilogues.apply(ParametricRelu.rows(SLOPE), x, workers);
      assertThat(x.get(0, 1)).isNaN();
      assertThat(x.get(0, 2)).isZero();
    }
  }

  @Test
  void shapesAreChecked() {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      DenseMatrix x = DenseMatrix.allocate(arena, 2, 3);
      DenseMatrix t = DenseMatrix.allocate(arena, 2, 4);
      assertThatThrownBy(() -> ParametricRelu.slopeGradient(x, t, workers))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("parametric relu: the gradient is");
    }
  }
}
