package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopProductsTest {
  private final Arena arena = Arena.ofShared();
  private final SplittableRandom random = new SplittableRandom(2);

  @AfterEach
  void close() {
    arena.close();
  }

  /// Small whole numbers, whose products are exact and often equal.
  private DenseMatrix matrix(int rows, int cols) {
    DenseMatrix m = DenseMatrix.allocate(arena, rows, cols);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        m.set(i, j, random.nextInt(-3, 4));
      }
    }
    return m;
  }

  private static TopProducts.Products products(DenseMatrix x, DenseMatrix y, Workers w) {
    return new TopProducts.Products(x, y, Matmul.java(), w);
  }

  private static float product(DenseMatrix x, int i, DenseMatrix y, int j) {
    float sum = 0;
    for (int k = 0; k < x.cols(); k++) {
      sum += x.get(i, k) * y.get(j, k);
    }
    return sum;
  }

  @ParameterizedTest
  @CsvSource({"1,1,3,1", "5,40,7,10", "300,5000,16,3", "20,9000,33,50", "4,6,8,10"})
  void theBestAreThoseOfASort(int queries, int rows, int width, int count) {
    DenseMatrix x = matrix(queries, width);
    DenseMatrix y = matrix(rows, width);
    TopProducts.Admission odd = (q, row) -> (q + row) % 3 != 0;
    TopProducts.Best[] best;
    try (Workers w = new Workers(3)) {
      best = TopProducts.of(products(x, y, w), count, odd, w);
    }
    assertThat(best).hasSize(queries);
    for (int q = 0; q < queries; q++) {
      int query = q;
      int[] expected =
          IntStream.range(0, rows)
              .filter(row -> odd.admits(query, row))
              .boxed()
              .sorted(
                  Comparator.<Integer>comparingDouble(row -> -product(x, query, y, row))
                      .thenComparing(row -> row))
              .limit(count)
              .mapToInt(row -> row)
              .toArray();
      assertThat(best[q].rows()).isEqualTo(expected);
      for (int k = 0; k < expected.length; k++) {
        assertThat(best[q].products()[k])
            .isCloseTo(product(x, query, y, expected[k]), within(1e-4f));
      }
    }
  }

  @Test
  void threadsDoNotMatter() {
    DenseMatrix x = matrix(30, 12);
    DenseMatrix y = matrix(700, 12);
    int[][] all = new int[2][];
    for (int t = 0; t < 2; t++) {
      try (Workers w = new Workers(1 + 3 * t)) {
        all[t] =
            Arrays.stream(TopProducts.of(products(x, y, w), 9, (_, _) -> true, w))
                .flatMapToInt(best -> Arrays.stream(best.rows()))
                .toArray();
      }
    }
    assertThat(all[1]).isEqualTo(all[0]);
  }

  @Test
  void withoutRowsThereIsNothing() {
    try (Workers w = new Workers(1)) {
      TopProducts.Best[] best =
          TopProducts.of(products(matrix(2, 3), matrix(0, 3), w), 5, (_, _) -> true, w);
      assertThat(best[0].rows()).isEmpty();
      assertThat(TopProducts.of(products(matrix(0, 3), matrix(4, 3), w), 5, (_, _) -> true, w))
          .isEmpty();
    }
  }
}
