package dev.gossamer.run;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;

/// Scores predictions of several labels over several ranks. A label is predicted where its
/// probability is at least one half.
public final class LabelScoring {
  /// Numbers that are added up of all labels.
  public static final int SUMS = 3;

  /// Labels whose scores of all ranks are held at once.
  private static final int LABELS = 8;

  /// Bytes of a vertex while the scores of a label are gathered and ranked.
  private static final long RANKED_BYTES = 8L * Long.BYTES;

  private final TargetRows truth;
  private final Team team;
  private final Workers workers;

  /// How well the probabilities of a label rank the rows.
  ///
  /// @param roc [RankedScores#rocArea]; empty if no row has the label, or all have
  /// @param precision [RankedScores#averagePrecision]; empty in the same cases
  public record Areas(OptionalDouble roc, OptionalDouble precision) {}

  /// Begins with what is true.
  ///
  /// @param truth 1, 0 or NaN for each label of each row; borrowed
  /// @param team ranks that hold different rows
  /// @param workers threads that share the work
  public LabelScoring(TargetRows truth, Team team, Workers workers) {
    this.truth = truth;
    this.team = team;
    this.workers = workers;
  }

  /// {@return bytes that scoring takes at most}
  ///
  /// @param vertices of all ranks
  /// @param labels of each vertex
  /// @param threads that share the work
  public static long bytes(long vertices, int labels, int threads) {
    int together = Math.min(LABELS, labels);
    return vertices * (2L * Double.BYTES * together + RANKED_BYTES * Math.min(threads, together));
  }

  /// {@return the binary cross-entropy of the known labels of some rows of this rank, added up} It
  /// is computed from logits, since a probability of float32 is 1 from a logit of 17 on.
  ///
  /// @param logits `n x labels`
  /// @param rows to score
  public double loss(DenseMatrix logits, int... rows) {
    double loss = 0;
    for (int row : rows) {
      for (int t = 0; t < logits.cols(); t++) {
        float y = truth.get(row, t);
        double z = logits.get(row, t);
        loss += Float.isNaN(y) ? 0 : LinkScoring.softplus(y > 0 ? -z : z);
      }
    }
    return loss;
  }

  /// {@return scores of some rows on each rank, over all ranks of the team} Collective.
  ///
  /// @param probabilities `n x labels`
  /// @param loss [#loss] of the rows
  /// @param rows to score
  public Evaluation.Scores scores(DenseMatrix probabilities, double loss, int... rows) {
    LabelCounts counts = LabelCounts.of(probabilities, truth, rows).summed(team::sum);
    double[] sums = new double[SUMS];
    sums[0] = rows.length;
    sums[1] = loss;
    for (int row : rows) {
      for (int t = 0; t < probabilities.cols(); t++) {
        sums[2] += Float.isNaN(truth.get(row, t)) ? 0 : 1;
      }
    }
    double[] all = team.sum(sums);
    Map<Metric, Double> values = new EnumMap<>(Metric.class);
    values.put(Metric.LOSS, all[1] / Math.max(1, all[2]));
    values.put(Metric.MICRO_F1, counts.microF1());
    values.put(Metric.MACRO_F1, counts.macroF1());
    List<Areas> areas = areas(probabilities, rows);
    mean(areas, Areas::roc).ifPresent(area -> values.put(Metric.ROC_AUC, area));
    mean(areas, Areas::precision).ifPresent(area -> values.put(Metric.PR_AUC, area));
    return new Evaluation.Scores((long) all[0], values);
  }

  /// {@return the areas of each label in some rows on each rank, over all ranks of the team}
  /// Collective.
  ///
  /// @param probabilities `n x labels`
  /// @param rows to rank
  public List<Areas> areas(DenseMatrix probabilities, int... rows) {
    int labels = probabilities.cols();
    Areas[] areas = new Areas[labels];
    for (int begin = 0; begin < labels; begin += LABELS) {
      areas(probabilities, rows, begin, Math.min(labels, begin + LABELS), areas);
    }
    return List.of(areas);
  }

  /// Computes the areas of some labels.
  private void areas(DenseMatrix probabilities, int[] rows, int begin, int end, Areas[] areas) {
    double[][] scores = new double[end - begin][];
    double[][] positive = new double[end - begin][];
    for (int t = begin; t < end; t++) {
      int label = t;
      int[] known =
          Arrays.stream(rows).filter(row -> !Float.isNaN(truth.get(row, label))).toArray();
      scores[t - begin] =
          team.gathered(
              Arrays.stream(known).mapToDouble(row -> probabilities.get(row, label)).toArray());
      positive[t - begin] =
          team.gathered(Arrays.stream(known).mapToDouble(row -> truth.get(row, label)).toArray());
    }
    workers.run(
        end - begin,
        (task, worker) -> {
          RankedScores ranked = RankedScores.of(scores[task], positive[task]);
          OptionalDouble roc = ranked.rocArea();
          areas[begin + task] = new Areas(roc, roc.isPresent() ? ranked.averagePrecision() : roc);
        });
  }

  /// The mean over the labels that have one.
  private static OptionalDouble mean(List<Areas> areas, Function<Areas, OptionalDouble> area) {
    return areas.stream().map(area).flatMapToDouble(OptionalDouble::stream).average();
  }
}
