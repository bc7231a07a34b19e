package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ConfusionTest {
  @Test
  void scoresAHandExample() {
    Confusion confusion = new Confusion(4);
    int[][] pairs = {{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 0}, {2, 2}};
    for (int[] pair : pairs) {
      confusion.add(pair[0], pair[1]);
    }
    assertThat(confusion.count()).isEqualTo(6);
    assertThat(confusion.accuracy()).isCloseTo(4 / 6.0, within(1e-15));
    // f1: class 0 2*2/(3+3), class 1 2*1/(2+2), class 2 1; class 3 does not occur.
    assertThat(confusion.macroF1()).isCloseTo((2 / 3.0 + 0.5 + 1) / 3, within(1e-15));
  }

  @Test
  void scoresNothingAsZero() {
    assertThat(new Confusion(3).accuracy()).isZero();
    assertThat(new Confusion(3).macroF1()).isZero();
  }
}
