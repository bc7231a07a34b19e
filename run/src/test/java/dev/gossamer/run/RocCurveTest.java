package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RocCurveTest {
  @Test
  void isTheShareOfPairsInTheRightOrder() {
    Random random = new Random(7);
    for (int n = 2; n < 60; n += 3) {
      double[] scores = new double[n];
      double[] positive = new double[n];
      for (int i = 0; i < n; i++) {
        scores[i] = random.nextInt(8) / 8.0;
        positive[i] = i == 0 ? 1 : i == 1 ? 0 : random.nextInt(2);
      }
      double right = 0;
      long pairs = 0;
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
          if (positive[i] > positive[j]) {
            pairs++;
            right += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
          }
        }
      }
      assertThat(RocCurve.area(scores, positive).orElseThrow())
          .isCloseTo(right / pairs, within(1e-12));
    }
  }

  @Test
  void needsBothClasses() {
    assertThat(RocCurve.area(new double[] {1, 2}, new double[] {1, 1})).isEmpty();
    assertThat(RocCurve.area(new double[] {1, 2}, new double[] {0, 0})).isEmpty();
    assertThat(RocCurve.area(new double[0], new double[0])).isEmpty();
  }
}
