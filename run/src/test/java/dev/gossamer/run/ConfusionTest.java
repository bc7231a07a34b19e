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
  void scoresEachClass() {
    Confusion confusion = new Confusion(4);
    int[][] pairs = {{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 3}, {2, 0}};
    for (int[] pair : pairs) {
      confusion.add(pair[0], pair[1]);
    }
    assertThat(confusion.count(2, 0)).isEqualTo(1);
    assertThat(confusion.count(0, 2)).isZero();
    assertThat(confusion.support(0)).isEqualTo(3);
    assertThat(confusion.predicted(0)).isEqualTo(3);
    assertThat(confusion.precision(0)).hasValue(2 / 3.0);
    assertThat(confusion.recall(0)).hasValue(2 / 3.0);
    assertThat(confusion.f1(1)).hasValue(2 / 4.0);
    assertThat(confusion.precision(2)).isEmpty();
    assertThat(confusion.recall(2)).hasValue(0);
    assertThat(confusion.precision(3)).hasValue(0);
    assertThat(confusion.recall(3)).isEmpty();
    // Class 3 has no vertices.
    assertThat(confusion.average(confusion::precision))
        .isCloseTo((2 / 3.0 + 1 / 2.0 + 0) / 3, within(1e-15));
    assertThat(confusion.average(confusion::recall))
        .isCloseTo((2 / 3.0 + 1 / 2.0 + 0) / 3, within(1e-15));
    assertThat(confusion.average(confusion::f1))
        .isCloseTo((2 / 3.0 + 1 / 2.0 + 0) / 3, within(1e-15));
  }

  @Test
  void scoresNothingAsZero() {
    Confusion none = new Confusion(3);
    assertThat(none.average(none::recall)).isZero();
    assertThat(none.f1(0)).isEmpty();
    assertThat(new Confusion(3).accuracy()).isZero();
    assertThat(new Confusion(3).macroF1()).isZero();
  }
}
