package dev.gossamer.gnn.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Standardisation;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.LabelLoss;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class TargetObjectiveTest {
  private static final float NAN = Float.NaN;

  private static double loss(double probability) {
    return -Math.log(probability);
  }

  private static double sigmoid(double z) {
    return 1 / (1 + Math.exp(-z));
  }

  /// A probability of float32 is 1 from a logit of 17 on, as far as a mistake may go.
  @Test
  void lossOfLabelsIsThatOfTheirLogits() {
    float[][] logits = {{0.5f, -2}, {1, 20}, {30, -3}, {-40, 25}};
    float[][] labels = {{1, 0}, {NAN, 0}, {0, 0}, {1, 1}};
    GraphData data =
        GraphData.builder(4)
            .edges(new int[] {0, 1}, new int[] {2, 3})
            .multiLabels(labels)
            .split(Split.TRAIN, Split.VALIDATION, Split.TEST, Split.TEST)
            .build();
    TargetObjective objective =
        new TargetObjective(new LabelLoss(), 1, Standardisation.identity(2));
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      Evaluation found =
          objective
              .truth(data, 0, 1, 2, 3)
              .evaluate(
                  DenseMatrix.of(arena, logits),
                  ScoredRows.of(4, data::isLabelled),
                  Team.of(ThreadRanks.alone(), arena),
                  workers);
      assertThat(found.train().loss())
          .isCloseTo((loss(sigmoid(0.5)) + loss(sigmoid(2))) / 2, within(1e-12));
      // Of a mistake, -log(sigmoid(-z)) is z + exp(-z) for large z.
      assertThat(found.validation().loss()).isCloseTo(20 + Math.exp(-20), within(1e-12));
      double test = 30 + Math.exp(-30) + loss(sigmoid(3)) + 40 + Math.exp(-40) + Math.exp(-25);
      assertThat(found.test().loss()).isCloseTo(test / 4, within(1e-12));
    } finally {
      data.close();
    }
  }
}
