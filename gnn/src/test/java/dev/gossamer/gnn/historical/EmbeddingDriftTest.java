package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class EmbeddingDriftTest {
  /// Two rows that are 2 apart, each 1 from the mean, of which one has come 3 and the other 4.
  @Test
  void addsUpWaysAndDistancesFromTheMean() {
    float[][] before = {{1, 0}, {3, 4}};
    float[][] after = {{1, 3}, {3, 0}};
    double[] squares = EmbeddingDrift.squares(before, after);
    assertThat(squares[0]).isEqualTo(3 * 3 + 4 * 4);
    // The mean is (2, 1.5).
    assertThat(squares[1]).isCloseTo(2 * (1 + 1.5 * 1.5), within(1e-12));
    assertThat(EmbeddingDrift.squares(new float[0][], new float[0][])).containsExactly(0, 0);
  }

  @Test
  void isThatOfTheLayerThatMovesMost() {
    double[] sums = {4, 100, 9, 100};
    assertThat(EmbeddingDrift.of(sums, 6).perBatch()).isCloseTo(0.3 / 6, within(1e-12));
    assertThat(EmbeddingDrift.of(new double[0], 6).perBatch()).isZero();
    assertThat(EmbeddingDrift.of(new double[] {0, 0}, 6).perBatch()).isZero();
    assertThat(EmbeddingDrift.of(new double[] {1, 0}, 6).perBatch()).isInfinite();
  }
}
