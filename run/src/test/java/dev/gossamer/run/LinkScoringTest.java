package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.comm.threads.ThreadRanks;
import java.lang.foreign.Arena;
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
