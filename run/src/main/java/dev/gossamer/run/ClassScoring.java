package dev.gossamer.run;

import dev.gossamer.matrix.DenseMatrix;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/// Scores predicted classes over several ranks.
public final class ClassScoring {
  private final int[] labels;
  private final int classes;
  private final Team team;

  /// Begins with what is true.
  ///
  /// @param labels class of each row; read only in scored rows; borrowed
  /// @param classes number of classes
  /// @param team ranks that hold different rows
  public ClassScoring(int[] labels, int classes, Team team) {
    this.labels = labels;
    this.classes = classes;
    this.team = team;
  }

  /// {@return scores of some rows on each rank, over all ranks of the team} Collective.
  ///
  /// @param probabilities `n x classes`
  /// @param predictions class of each row
  /// @param rows to score
  public Evaluation.Scores scores(DenseMatrix probabilities, int[] predictions, int... rows) {
    Confusion all = confusion(predictions, rows);
    double sum = 0;
    for (int v : rows) {
      sum -= Math.log(Math.max(probabilities.get(v, labels[v]), Float.MIN_NORMAL));
    }
    double total = team.sum(sum)[0];
    Map<Metric, Double> values = new EnumMap<>(Metric.class);
    values.put(Metric.LOSS, total / Math.max(1, all.count()));
    values.put(Metric.ACCURACY, all.accuracy());
    values.put(Metric.MICRO_F1, all.accuracy());
    values.put(Metric.MACRO_F1, all.macroF1());
    if (classes == 2) {
      putAreas(values, probabilities, rows);
    }
    return new Evaluation.Scores(all.count(), values);
  }

  private Confusion confusion(int[] predictions, int... rows) {
    Confusion confusion = new Confusion(classes);
    for (int v : rows) {
      confusion.add(labels[v], predictions[v]);
    }
    return confusion.summed(team::sum);
  }

  private void putAreas(Map<Metric, Double> values, DenseMatrix probabilities, int... rows) {
    double[] scores = Arrays.stream(rows).mapToDouble(v -> probabilities.get(v, 1)).toArray();
    double[] positive = Arrays.stream(rows).mapToDouble(v -> labels[v]).toArray();
    RankedScores ranked = RankedScores.of(team.gathered(scores), team.gathered(positive));
    ranked
        .rocArea()
        .ifPresent(area -> {
          values.put(Metric.ROC_AUC, area);
          values.put(Metric.PR_AUC, ranked.averagePrecision().orElseThrow());
        });
  }
}
