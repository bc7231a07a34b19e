package dev.gossamer.run;

import dev.gossamer.matrix.DenseMatrix;
import java.util.Arrays;
import java.util.OptionalDouble;

/// Scores predictions over several ranks.
public final class Scoring {
  private Scoring() {}

  /// {@return scores of some rows on each rank, over all ranks of a team} Collective.
  ///
  /// @param probabilities `n x classes`
  /// @param predictions class of each row
  /// @param labels class of each row; read only in scored rows
  /// @param rows to score
  /// @param classes number of classes
  /// @param team ranks that hold different rows
  public static Evaluation.Scores scores(
      DenseMatrix probabilities,
      int[] predictions,
      int[] labels,
      int[] rows,
      int classes,
      Team team) {
    Confusion all = confusion(predictions, labels, rows, classes, team);
    double loss = 0;
    for (int v : rows) {
      loss -= Math.log(Math.max(probabilities.get(v, labels[v]), Float.MIN_NORMAL));
    }
    double total = team.sum(loss)[0];
    return new Evaluation.Scores(
        all.count(),
        total / Math.max(1, all.count()),
        all.accuracy(),
        all.macroF1(),
        classes == 2 ? rocAuc(probabilities, labels, rows, team) : OptionalDouble.empty());
  }

  /// {@return labels and predictions of some rows on each rank, counted over all ranks of a team}
  /// Collective.
  ///
  /// @param predictions class of each row
  /// @param labels class of each row; read only in counted rows
  /// @param rows to count
  /// @param classes number of classes
  /// @param team ranks that hold different rows
  public static Confusion confusion(
      int[] predictions, int[] labels, int[] rows, int classes, Team team) {
    Confusion confusion = new Confusion(classes);
    for (int v : rows) {
      confusion.add(labels[v], predictions[v]);
    }
    return confusion.summed(team::sum);
  }

  private static OptionalDouble rocAuc(
      DenseMatrix probabilities, int[] labels, int[] rows, Team team) {
    double[] scores = Arrays.stream(rows).mapToDouble(v -> probabilities.get(v, 1)).toArray();
    double[] positive = Arrays.stream(rows).mapToDouble(v -> labels[v]).toArray();
    return RocCurve.area(team.gathered(scores), team.gathered(positive));
  }
}
