package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedScoresTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 50, 257})
  void countsAreThoseOfAllPairs(int pairs) {
    double[] scores = new SplittableRandom(pairs).ints(pairs, -9, 10).mapToDouble(i -> i).toArray();
    SharedScores shared = new SharedScores(scores);
    for (double score = -10; score <= 10; score += 0.5) {
      double at = score;
      assertThat(shared.above(at))
          .isEqualTo((int) Arrays.stream(scores).filter(s -> s > at).count());
      assertThat(shared.reaching(at))
          .isEqualTo((int) Arrays.stream(scores).filter(s -> s >= at).count());
    }
  }

  @Test
  void bothZerosAreOneScore() {
    SharedScores shared = new SharedScores(0.0, -0.0, 1);
    for (double zero : new double[] {0.0, -0.0}) {
      assertThat(shared.above(zero)).isEqualTo(1);
      assertThat(shared.reaching(zero)).isEqualTo(3);
    }
  }

  @Test
  void thereIsAtLeastOne() {
    assertThatThrownBy(SharedScores::new)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("scores: expected at least one, found none");
  }
}
