package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RankedScoresTest {
  private final Random random = new Random(7);

  /// Few different scores, so that many are tied, of both signs.
  private double[] scores(int n) {
    return random.ints(n, -4, 4).mapToDouble(i -> i / 8.0).toArray();
  }

  private double[] positives(int n) {
    return IntStream.range(0, n)
        .mapToDouble(i -> i == 0 ? 1 : i == 1 ? 0 : random.nextInt(2))
        .toArray();
  }

  @Test
  void areaIsTheShareOfPairsInTheRightOrder() {
    for (int n = 2; n < 60; n += 3) {
      double[] scores = scores(n);
      double[] positive = positives(n);
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
      assertThat(RankedScores.of(scores, positive).rocArea().orElseThrow())
          .isCloseTo(right / pairs, within(1e-12));
    }
  }

  /// Every threshold from the highest on: how much recall it adds, times its precision.
  @Test
  void averagePrecisionWeighsPrecisionsByTheRecallThatTheyAdd() {
    for (int n = 2; n < 60; n += 3) {
      double[] scores = scores(n);
      double[] positive = positives(n);
      double all = Arrays.stream(positive).sum();
      double sum = 0;
      double recall = 0;
      for (double threshold :
          Arrays.stream(scores).map(s -> -s).distinct().sorted().map(s -> -s).toArray()) {
        double found = 0;
        double right = 0;
        for (int i = 0; i < n; i++) {
          found += scores[i] >= threshold ? 1 : 0;
          right += scores[i] >= threshold ? positive[i] : 0;
        }
        sum += (right / all - recall) * right / found;
        recall = right / all;
      }
      assertThat(RankedScores.of(scores, positive).averagePrecision().orElseThrow())
          .isCloseTo(sum, within(1e-12));
    }
  }

  @Test
  void needsPositivesAndForTheAreaNegativesToo() {
    RankedScores positives = RankedScores.of(new double[] {1, 2}, new double[] {1, 1});
    RankedScores negatives = RankedScores.of(new double[] {1, 2}, new double[] {0, 0});
    assertThat(positives.rocArea()).isEmpty();
    assertThat(positives.averagePrecision()).hasValue(1);
    assertThat(negatives.rocArea()).isEmpty();
    assertThat(negatives.averagePrecision()).isEmpty();
    assertThat(RankedScores.of(new double[0], new double[0]).rocArea()).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RankedScores.of(new double[1], new double[2]))
        .withMessage("scores: expected one for each of 2, found 1");
  }

  /// Every score as a threshold, counted by hand.
  @Test
  void thresholdsAreTheBestOfAll() {
    for (int n = 2; n < 60; n += 3) {
      double[] scores = scores(n);
      double[] positive = positives(n);
      double all = Arrays.stream(positive).sum();
      double bestF1 = 0;
      double bestRecall = 0;
      double mostPrecise = 0;
      for (double threshold : scores) {
        double found = 0;
        double right = 0;
        for (int i = 0; i < n; i++) {
          found += scores[i] >= threshold ? 1 : 0;
          right += scores[i] >= threshold ? positive[i] : 0;
        }
        bestF1 = Math.max(bestF1, 2 * right / (found + all));
        bestRecall = right / found >= 0.6 ? Math.max(bestRecall, right / all) : bestRecall;
        mostPrecise = Math.max(mostPrecise, right / found);
      }
      RankedScores ranked = RankedScores.of(scores, positive);
      assertThat(ranked.bestF1().orElseThrow().f1()).isCloseTo(bestF1, within(1e-12));
      assertThat(ranked.atPrecision(0.6).map(RankedScores.Point::recall).orElse(0.0))
          .isCloseTo(bestRecall, within(1e-12));
      assertThat(ranked.highestPrecision().orElseThrow()).isCloseTo(mostPrecise, within(1e-12));
    }
  }

  @Test
  void aThresholdIsTheHighestOfEqualOnes() {
    double[] positive = {1, 0, 1, 0};
    RankedScores ranked = RankedScores.of(new double[] {0.75, 0.5, 0.25, 0.125}, positive);
    assertThat(ranked.bestF1()).contains(new RankedScores.Point(0.1875, 2 / 3.0, 1));
    assertThat(ranked.atPrecision(0.9)).contains(new RankedScores.Point(0.625, 1, 0.5));
    assertThat(ranked.atPrecision(0.1)).contains(new RankedScores.Point(0.1875, 2 / 3.0, 1));
    assertThat(ranked.atPrecision(1.1)).isEmpty();
    assertThat(ranked.highestPrecision()).hasValue(1);
  }

  @Test
  void theLowestThresholdLiesAboveZero() {
    RankedScores all = RankedScores.of(new double[] {0.5, 0.25}, new double[] {0, 1});
    assertThat(all.bestF1()).contains(new RankedScores.Point(0.125, 0.5, 1));
    assertThat(all.highestPrecision()).hasValue(0.5);
    RankedScores none = RankedScores.of(new double[] {0.5, 0.25}, new double[2]);
    assertThat(none.bestF1()).isEmpty();
    assertThat(none.atPrecision(0.1)).isEmpty();
    assertThat(none.highestPrecision()).isEmpty();
  }

  @Test
  void bothZerosAreOneScoreAndNotANumberIsTheHighest() {
    double[] positive = {1, 0};
    assertThat(RankedScores.of(new double[] {-0.0, 0.0}, positive).rocArea()).hasValue(0.5);
    assertThat(RankedScores.of(new double[] {Double.NaN, 1e9}, positive).rocArea()).hasValue(1);
  }
}
