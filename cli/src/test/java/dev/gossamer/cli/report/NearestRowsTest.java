package dev.gossamer.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.random.Philox;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestRowsTest {
  static float[][] random(int rows, int columns) {
    RandomGenerator random = Philox.keyed(7, 1, 0).sequence();
    float[][] drawn = new float[rows][columns];
    for (float[] row : drawn) {
      for (int j = 0; j < columns; j++) {
        row[j] = (float) random.nextGaussian();
      }
    }
    return drawn;
  }

  private static NearestRows of(float[][] rows, int most) {
    try (Workers workers = new Workers(2)) {
      return NearestRows.of(rows, most, workers, Progress.SILENT);
    }
  }

  private static double distance(float[] a, float[] b) {
    double sum = 0;
    for (int j = 0; j < a.length; j++) {
      sum += ((double) a[j] - b[j]) * ((double) a[j] - b[j]);
    }
    return Math.sqrt(sum);
  }

  /// The second has more rows than products are computed at a time.
  @ParameterizedTest
  @CsvSource({"300,5,7", "2500,3,2", "9,4,8"})
  void theyAreTheNearest(int n, int columns, int most) {
    float[][] rows = random(n, columns);
    NearestRows nearest = of(rows, most);
    assertThat(nearest.count()).isEqualTo(most);
    for (int row = 0; row < n; row++) {
      float[] mine = rows[row];
      int own = row;
      double[] expected =
          IntStream.range(0, n)
              .filter(other -> other != own)
              .mapToDouble(other -> distance(mine, rows[other]))
              .sorted()
              .limit(most)
              .toArray();
      for (int k = 0; k < most; k++) {
        int at = row * most + k;
        // The squares of about ten are rounded, and so is their difference: 1e-5 in the square.
        assertThat((double) nearest.distances()[at]).isCloseTo(expected[k], within(5e-3));
        assertThat(distance(mine, rows[nearest.numbers()[at]]))
            .isCloseTo(expected[k], within(5e-3));
      }
    }
  }

  @Test
  void ofEqualDistancesTheSmallestNumberIsFirst() {
    NearestRows nearest = of(new float[][] {{1}, {1}, {5}, {1}, {1}}, 2);
    assertThat(nearest.numbers()).startsWith(1, 3, 0, 3).endsWith(0, 1, 0, 1);
    List<Integer> ofTheOther = List.of(nearest.numbers()[4], nearest.numbers()[5]);
    assertThat(ofTheOther).isSortedAccordingTo(Comparator.naturalOrder()).containsExactly(0, 1);
    assertThat(nearest.distances()[0]).isZero();
    assertThat(nearest.distances()[4]).isEqualTo(4);
  }

  @Test
  void fewRowsHaveFewNeighbours() {
    assertThat(of(new float[0][0], 3).numbers()).isEmpty();
    assertThat(of(new float[][] {{1, 2}}, 3).numbers()).isEmpty();
    assertThat(of(new float[][] {{1}, {2}}, 3).numbers()).containsExactly(1, 0);
  }
}
