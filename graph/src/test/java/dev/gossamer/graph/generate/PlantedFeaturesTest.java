package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlantedFeaturesTest {
  private static final int N = 5000;
  private static final int F = 13;

  private static PlantedFeatures features(double signal, int classes, int... labels) {
    return new PlantedFeatures(
        Planted.DEFAULT.withClasses(classes).withFeatures(F).withSignal(signal).withSeed(3),
        labels);
  }

  private static int[] alternating() {
    return IntStream.range(0, N).map(v -> v % 2).toArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1023, 1024, 1025, N})
  void theSameRowsComeWhateverTheBlocks(int step) {
    try (Arena arena = Arena.ofShared()) {
      DenseMatrix whole = DenseMatrix.allocate(arena, N, F);
      features(1.5, 2, alternating()).fill(0, whole);
      DenseMatrix pieces = DenseMatrix.allocate(arena, N, F);
      PlantedFeatures again = features(1.5, 2, alternating());
      for (int begin = 0; begin < N; begin += step) {
        again.fill(begin, pieces.rows(begin, Math.min(N, begin + step)));
      }
      assertThat(pieces.data().mismatch(whole.data())).isEqualTo(-1);
    }
  }

  /// Mean and variance of `N F` normal draws, each to five standard deviations: `1/sqrt(N F)` and
  /// `sqrt(2 / (N F))`.
  @Test
  void withoutSignalThereIsStandardNoise() {
    try (Arena arena = Arena.ofShared()) {
      DenseMatrix x = DenseMatrix.allocate(arena, N, F);
      features(0, 2, alternating()).fill(0, x);
      double sum = 0;
      double squares = 0;
      for (float[] row : x.toArray()) {
        for (float element : row) {
          sum += element;
          squares += (double) element * element;
        }
      }
      double draws = (double) N * F;
      assertThat(sum / draws).isBetween(-5 / Math.sqrt(draws), 5 / Math.sqrt(draws));
      double slack = 5 * Math.sqrt(2 / draws);
      assertThat(squares / draws).isBetween(1 - slack, 1 + slack);
    }
  }

  /// The mean over the `N / 2` vertices of a class is the class mean with noise of variance `2 / N`
  /// in each element, so its length is the signal up to a noise of length about `sqrt(2 F / N)`.
  @Test
  void classMeansHaveTheLengthOfTheSignal() {
    try (Arena arena = Arena.ofShared()) {
      DenseMatrix x = DenseMatrix.allocate(arena, N, F);
      features(4, 2, alternating()).fill(0, x);
      double[][] means = new double[2][F];
      for (int v = 0; v < N; v++) {
        for (int j = 0; j < F; j++) {
          means[v % 2][j] += x.get(v, j) / (N / 2.0);
        }
      }
      double slack = 3 * Math.sqrt(2.0 * F / N);
      for (double[] mean : means) {
        double length = Math.sqrt(IntStream.range(0, F).mapToDouble(j -> mean[j] * mean[j]).sum());
        assertThat(length).isBetween(4 - slack, 4 + slack);
      }
      double dot = IntStream.range(0, F).mapToDouble(j -> means[0][j] * means[1][j]).sum();
      assertThat(dot).isLessThan(0.95 * 16);
    }
  }
}
