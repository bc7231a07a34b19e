package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.comm.threads.ThreadRanks;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinkScoringTest {
  /// Ranks 1, 2.5, 12 and 1 with a tie that counts half: 1.5.
  private static final double[][] EDGES = {
    {3, 1, 2, 0, -1},
    {1, 2, 1, 0, -3},
    {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
    {0.5, 0.5, -1}
  };

  private static void add(LinkScoring scoring, double[] edge) {
    double[] pairs = new double[edge.length - 1];
    System.arraycopy(edge, 1, pairs, 0, pairs.length);
    scoring.add(edge[0], pairs);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 6})
  void ranksAreThoseOfTheProtocolForAnyNumberOfRanks(int ranks) {
    ThreadRanks.run(
        ranks,
        comm -> {
          try (Arena arena = Arena.ofShared()) {
            LinkScoring scoring = new LinkScoring();
            for (int i = comm.rank(); i < EDGES.length; i += ranks) {
              add(scoring, EDGES[i]);
            }
            Evaluation.Scores scores = scoring.scores(Team.of(comm, arena));
            assertThat(scores.count()).isEqualTo(4);
            double mrr = (1 + 1 / 2.5 + 1 / 12.0 + 1 / 1.5) / 4;
            assertThat(scores.value(Metric.MRR).orElseThrow()).isCloseTo(mrr, within(1e-12));
            assertThat(scores.value(Metric.HITS_1)).hasValue(0.25);
            assertThat(scores.value(Metric.HITS_10)).hasValue(0.75);
            // Edges 3, 1, -1, .5 against 1, 2, 0, .5: 4 + 2.5 + 0 + 1.5 of 16 pairs are in order.
            assertThat(scores.value(Metric.ROC_AUC).orElseThrow())
                .isCloseTo((4 + 2.5 + 0 + 1.5) / 16, within(1e-12));
            double loss = 0;
            for (double[] edge : EDGES) {
              loss += Math.log(1 + Math.exp(-edge[0])) + Math.log(1 + Math.exp(edge[1]));
            }
            assertThat(scores.loss()).isCloseTo(loss / 8, within(1e-12));
          }
        });
  }

  @Test
  void aScoreThatIsNoNumberIsNotAboveOthers() {
    ThreadRanks.run(
        1,
        comm -> {
          try (Arena arena = Arena.ofShared()) {
            LinkScoring scoring = new LinkScoring();
            scoring.add(Double.NaN, 1, 2);
            scoring.add(1, Double.NaN, 2);
            double mrr = scoring.scores(Team.of(comm, arena)).value(Metric.MRR).orElseThrow();
            assertThat(mrr).isCloseTo(1 / 3.0, within(1e-12));
          }
        });
  }

  /// As `Evaluator._eval_hits` of the benchmark has it, with means over all pairs.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void edgesAreRankedAmongSharedPairs(int ranks) {
    SplittableRandom random = new SplittableRandom(3);
    double[] edges = random.ints(40, 0, 120).mapToDouble(i -> i / 8.0 - 4).toArray();
    double[] pairs = random.ints(150, 0, 90).mapToDouble(i -> i / 8.0 - 4).toArray();
    double[] highest = Arrays.stream(pairs).map(x -> -x).sorted().map(x -> -x).toArray();
    ThreadRanks.run(
        ranks,
        comm -> {
          try (Arena arena = Arena.ofShared()) {
            LinkScoring scoring = new LinkScoring(new SharedScores(pairs));
            for (int i = comm.rank(); i < edges.length; i += ranks) {
              scoring.addAmongShared(edges[i]);
            }
            Evaluation.Scores scores = scoring.scores(Team.of(comm, arena));
            Map<Metric, Integer> places =
                Map.of(
                    Metric.HITS_1, 1,
                    Metric.HITS_10, 10,
                    Metric.HITS_20, 20,
                    Metric.HITS_50, 50,
                    Metric.HITS_100, 100);
            places.forEach((metric, k) ->
                assertThat(scores.value(metric))
                    .as("%s", metric)
                    .hasValue(Arrays.stream(edges).filter(s -> s > highest[k - 1]).count() / 40.0));
            double reciprocals = 0;
            double ordered = 0;
            double loss = 0;
            for (double edge : edges) {
              double optimistic = Arrays.stream(pairs).filter(s -> s > edge).count();
              double pessimistic = Arrays.stream(pairs).filter(s -> s >= edge).count();
              reciprocals += 1 / (0.5 * (optimistic + pessimistic) + 1);
              ordered += 150 - (optimistic + pessimistic) / 2;
              loss += Math.log(1 + Math.exp(-edge)) / 40;
            }
            for (double pair : pairs) {
              loss += Math.log(1 + Math.exp(pair)) / 150;
            }
            assertThat(scores.value(Metric.MRR).orElseThrow())
                .isCloseTo(reciprocals / 40, within(1e-12));
            assertThat(scores.value(Metric.ROC_AUC).orElseThrow())
                .isCloseTo(ordered / 40 / 150, within(1e-12));
            assertThat(scores.loss()).isCloseTo(loss / 2, within(1e-12));
            assertThat(scores.count()).isEqualTo(40);
          }
        });
  }

  @Test
  void amongFewerPairsThanItsPlaceAnEdgeIsAHit() {
    try (Arena arena = Arena.ofShared()) {
      LinkScoring scoring = new LinkScoring(new SharedScores(5, 6, 7));
      scoring.addAmongShared(1);
      Evaluation.Scores scores = scoring.scores(Team.of(ThreadRanks.alone(), arena));
      assertThat(scores.value(Metric.HITS_1)).hasValue(0);
      assertThat(scores.value(Metric.HITS_10)).hasValue(1);
      assertThat(scores.values()).containsKeys(LinkScoring.ofRanks(true).toArray(Metric[]::new));
    }
  }

  @Test
  void withoutEdgesThereIsNoScore() {
    try (Arena arena = Arena.ofShared()) {
      Evaluation.Scores scores = new LinkScoring().scores(Team.of(ThreadRanks.alone(), arena));
      assertThat(scores.count()).isZero();
      assertThat(scores.value(Metric.MRR)).isEmpty();
      assertThat(scores.loss()).isZero();
    }
  }

  @Test
  void anEdgeIsRankedAmongSomething() {
    assertThatThrownBy(() -> new LinkScoring().add(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("pairs: expected at least one, found none");
  }
}
