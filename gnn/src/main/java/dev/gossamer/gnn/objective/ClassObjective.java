package dev.gossamer.gnn.objective;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ClassLoss;
import dev.gossamer.matrix.dense.Softmax;
import dev.gossamer.run.ClassScoring;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Team;
import java.util.Arrays;

/// Each vertex has one class: an output for each is its logit, and predictions are probabilities
/// ([Softmax]).
///
/// @param loss of a vertex
public record ClassObjective(ClassLoss loss) implements Objective {
  /// The cross-entropy, with all classes of equal weight.
  public static final ClassObjective CROSS_ENTROPY = new ClassObjective(ClassLoss.CROSS_ENTROPY);

  @Override
  public void predict(DenseMatrix outputs, Workers w) {
    Softmax.softmax(outputs, w);
  }

  @Override
  public Truth truth(GraphData data, int... vertices) {
    int[] all = data.labels();
    return new Classes(
        loss, Arrays.stream(vertices).map(v -> all[v]).toArray(), new int[vertices.length]);
  }

  /// @param labels class of each row, or [GraphData#UNLABELLED]
  /// @param predicted memory of evaluations
  @SuppressWarnings("ArrayRecordComponent")
  private record Classes(ClassLoss loss, int[] labels, int[] predicted) implements Truth {
    @Override
    public double lossAndGradient(DenseMatrix outputs, int[] rows, long total, Workers w) {
      return loss.andGradient(outputs, labels, rows, total, w);
    }

    @Override
    public double weightedLossAndGradient(DenseMatrix outputs, float[] weights, Workers w) {
      return loss.weightedAndGradient(outputs, labels, weights, w);
    }

    @Override
    public Evaluation evaluate(DenseMatrix outputs, ScoredRows rows, Team team, Workers w) {
      Softmax.softmax(outputs, w);
      Softmax.argmax(outputs, predicted, w);
      ClassScoring scoring = new ClassScoring(labels, outputs.cols(), team);
      return new Evaluation(
          scoring.scores(outputs, predicted, rows.train()),
          scoring.scores(outputs, predicted, rows.validation()),
          scoring.scores(outputs, predicted, rows.test()));
    }
  }
}
