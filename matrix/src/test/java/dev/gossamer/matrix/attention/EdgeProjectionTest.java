package dev.gossamer.matrix.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Against a loop in float64, with rows that several edges have, and edges without features.
class EdgeProjectionTest {
  private static final int ROWS = 50;

  private static DenseMatrix random(Arena arena, Random random, int rows, int cols) {
    DenseMatrix x = DenseMatrix.allocate(arena, rows, cols);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        x.set(i, j, (float) random.nextGaussian());
      }
    }
    return x;
  }

  private static EdgeRows rows(Arena arena, Random random, int edges, int width) {
    long[] numbers = random.longs(edges, -1, ROWS).toArray();
    MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_LONG, numbers);
    return new EdgeRows(random(arena, random, ROWS, width), segment);
  }

  @ParameterizedTest
  @CsvSource({"0, 3, 2", "1, 1, 1", "255, 4, 3", "256, 5, 4", "257, 17, 8", "20011, 3, 5"})
  void scoresAndGradientEqualTheNaiveLoop(int edges, int d, int k) {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(2)) {
      Random random = new Random(edges + d);
      EdgeRows rows = rows(arena, random, edges, d);
      assertThat(rows.edges()).isEqualTo(edges);
      float[] q = new float[d * k];
      for (int i = 0; i < q.length; i++) {
        q[i] = (float) random.nextGaussian();
      }
      DenseMatrix s = random(arena, random, edges, k);
      DenseMatrix g = random(arena, random, edges, 2 + k);
      EdgeProjection.forward(rows, q, s, workers);
      double[] found = EdgeProjection.gradient(rows, g, 2, k, workers);
      double[] expected = new double[d * k];
      for (int e = 0; e < edges; e++) {
        for (int j = 0; j < k; j++) {
          double sum = 0;
          for (int f = 0; f < d && rows.row(e) >= 0; f++) {
            double x = rows.x().get(rows.row(e), f);
            sum += x * q[f * k + j];
            expected[f * k + j] += x * g.get(e, 2 + j);
          }
          // `d` products of about 1, up to some deviations.
          assertThat((double) s.get(e, j)).isCloseTo(sum, within(32 * d * (double) Math.ulp(1f)));
        }
      }
      for (int i = 0; i < expected.length; i++) {
        assertThat(found[i]).isCloseTo(expected[i], within(1e-9 * (1 + edges)));
      }
    }
  }

  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    try (Arena arena = Arena.ofShared();
        Workers one = new Workers(1);
        Workers three = new Workers(3)) {
      Random random = new Random(7);
      EdgeRows rows = rows(arena, random, 9001, 6);
      DenseMatrix g = random(arena, random, 9001, 4);
      assertThat(EdgeProjection.gradient(rows, g, 0, 4, three))
          .isEqualTo(EdgeProjection.gradient(rows, g, 0, 4, one));
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      EdgeRows rows = rows(arena, new Random(1), 4, 3);
      DenseMatrix s = DenseMatrix.allocate(arena, 5, 2);
      assertThatThrownBy(() -> EdgeProjection.forward(rows, new float[6], s, workers))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("features of edges: 5 rows and 6 weights; expected 4 and 3 x 2");
    }
  }
}
