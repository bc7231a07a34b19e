package dev.gossamer.run;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// Scores predicted numbers over several ranks. Scores of several columns are the unweighted means
/// of theirs, over the columns of which something is known.
public final class NumberScoring {
  private static final int COUNT = 0;
  private static final int SUM = 1;
  private static final int ABSOLUTE = 2;
  private static final int SQUARED = 3;
  private static final int SCALED = 4;

  /// Numbers that are added up of each column.
  public static final int KINDS = 5;

  /// The scores of a column.
  ///
  /// @param count rows of which the number is known
  /// @param rmse [Metric#RMSE]; NaN without rows
  /// @param mae [Metric#MAE]; NaN without rows
  /// @param r2 [Metric#R2]; NaN if the number does not vary
  public record OfColumn(long count, double rmse, double mae, double r2) {}

  private final TargetRows truth;
  private final List<Double> deviations;
  private final Team team;

  /// Begins with what is true.
  ///
  /// @param truth a number or NaN for each column of each row; borrowed
  /// @param deviations of each column, by which the loss is divided
  /// @param team ranks that hold different rows
  public NumberScoring(TargetRows truth, List<Double> deviations, Team team) {
    this.truth = truth;
    this.deviations = List.copyOf(deviations);
    this.team = team;
  }

  /// {@return scores of some rows on each rank, over all ranks of the team} Collective.
  ///
  /// @param predictions `n x columns`
  /// @param rows to score
  public Evaluation.Scores scores(DenseMatrix predictions, int... rows) {
    int columns = predictions.cols();
    double[] all = sums(predictions, rows);
    List<OfColumn> each = ofColumns(all, spread(all, columns, rows));
    Map<Metric, Double> values = new EnumMap<>(Metric.class);
    double known = IntStream.range(0, columns).mapToDouble(t -> all[KINDS * t + COUNT]).sum();
    double scaled = IntStream.range(0, columns).mapToDouble(t -> all[KINDS * t + SCALED]).sum();
    values.put(Metric.LOSS, scaled / Math.max(1, known));
    values.put(Metric.RMSE, mean(each, OfColumn::rmse).orElse(0));
    values.put(Metric.MAE, mean(each, OfColumn::mae).orElse(0));
    mean(each.stream().filter(column -> !Double.isNaN(column.r2)).toList(), OfColumn::r2)
        .ifPresent(r2 -> values.put(Metric.R2, r2));
    return new Evaluation.Scores((long) all[KINDS * columns], values);
  }

  /// {@return the scores of each column in some rows on each rank, over all ranks of the team}
  /// Collective.
  ///
  /// @param predictions `n x columns`
  /// @param rows to score
  public List<OfColumn> ofColumns(DenseMatrix predictions, int... rows) {
    double[] all = sums(predictions, rows);
    return ofColumns(all, spread(all, predictions.cols(), rows));
  }

  /// The sums of all ranks, and last the number of rows.
  private double[] sums(DenseMatrix predictions, int... rows) {
    int columns = predictions.cols();
    double[] sums = new double[KINDS * columns + 1];
    for (int row : rows) {
      for (int t = 0; t < columns; t++) {
        float y = truth.get(row, t);
        if (!Float.isNaN(y)) {
          double apart = (double) predictions.get(row, t) - y;
          double scaled = apart / deviations.get(t);
          sums[KINDS * t + COUNT]++;
          sums[KINDS * t + SUM] += y;
          sums[KINDS * t + ABSOLUTE] += Math.abs(apart);
          sums[KINDS * t + SQUARED] += apart * apart;
          sums[KINDS * t + SCALED] += scaled * scaled;
        }
      }
    }
    sums[KINDS * columns] = rows.length;
    return team.sum(sums);
  }

  /// @param spread of each column
  private static List<OfColumn> ofColumns(double[] all, double[] spread) {
    return IntStream.range(0, spread.length)
        .mapToObj(t ->
            new OfColumn(
                (long) all[KINDS * t + COUNT],
                Math.sqrt(share(all, t, SQUARED)),
                share(all, t, ABSOLUTE),
                spread[t] == 0 ? Double.NaN : 1 - all[KINDS * t + SQUARED] / spread[t]))
        .toList();
  }

  /// The sum of the squared distances from the mean of each column.
  private double[] spread(double[] all, int columns, int... rows) {
    double[] spread = new double[columns];
    for (int row : rows) {
      for (int t = 0; t < columns; t++) {
        float y = truth.get(row, t);
        if (!Float.isNaN(y)) {
          double apart = y - share(all, t, SUM);
          spread[t] += apart * apart;
        }
      }
    }
    return team.sum(spread);
  }

  private static double share(double[] all, int column, int kind) {
    return all[KINDS * column + kind] / all[KINDS * column + COUNT];
  }

  /// The mean over the columns that have the score.
  private static OptionalDouble mean(List<OfColumn> columns, ToDoubleFunction<OfColumn> score) {
    return columns.stream().filter(column -> column.count > 0).mapToDouble(score).average();
  }
}
