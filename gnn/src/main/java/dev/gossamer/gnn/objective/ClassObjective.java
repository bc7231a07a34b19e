package dev.gossamer.gnn.objective;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ClassLoss;
import dev.gossamer.run.ClassScoring;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Team;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Each vertex has one class: an output for each is its logit, and predictions are probabilities.
///
/// @param loss of a vertex
/// @param decision how classes follow from logits
public record ClassObjective(ClassLoss loss, ClassDecision decision) implements VertexObjective {
  /// The cross-entropy, with all classes of equal weight.
  public static final ClassObjective CROSS_ENTROPY = new ClassObjective(ClassLoss.CROSS_ENTROPY);

  /// Trains for a loss; the class is the likeliest.
  ///
  /// @param loss of a vertex
  public ClassObjective(ClassLoss loss) {
    this(loss, ClassDecision.LIKELIEST);
  }

  @Override
  public void predict(DenseMatrix outputs, Workers w) {
    decision.probabilities(outputs, w);
  }

  @Override
  public Truth truth(GraphData data, int... vertices) {
    int[] all = data.labels();
    return new Classes(this, Arrays.stream(vertices).map(v -> all[v]).toArray());
  }

  private static final class Classes implements Truth {
    private final ClassObjective objective;

    /// Of each row, or [GraphData#UNLABELLED].
    private final int[] labels;

    /// Memory of evaluations, which batches do not need.
    private int @Nullable [] predicted;

    private Classes(ClassObjective objective, int[] labels) {
      this.objective = objective;
      this.labels = labels;
    }

    @Override
    public double lossAndGradient(DenseMatrix outputs, int[] rows, long total, Workers w) {
      return objective.loss.andGradient(outputs, labels, rows, total, w);
    }

    @Override
    public double weightedLossAndGradient(DenseMatrix outputs, float[] weights, Workers w) {
      return objective.loss.weightedAndGradient(outputs, labels, weights, w);
    }

    @Override
    public Evaluation evaluate(DenseMatrix outputs, ScoredRows rows, Team team, Workers w) {
      int[] classes = predicted == null ? new int[labels.length] : predicted;
      predicted = classes;
      objective.decision.probabilities(outputs, w);
      objective.decision.classes(outputs, classes, w);
      ClassScoring scoring = new ClassScoring(labels, outputs.cols(), team);
      return new Evaluation(
          scoring.scores(outputs, classes, rows.train()),
          scoring.scores(outputs, classes, rows.validation()),
          scoring.scores(outputs, classes, rows.test()));
    }
  }
}
