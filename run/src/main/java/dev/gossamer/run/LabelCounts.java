package dev.gossamer.run;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/// Counts of right and wrong predictions of each label, and the scores that follow from them.
public final class LabelCounts {
  /// The probability from which on a label is predicted.
  private static final float THRESHOLD = 0.5f;

  private static final int TRUE_POSITIVES = 0;
  private static final int FALSE_POSITIVES = 1;
  private static final int FALSE_NEGATIVES = 2;

  /// Numbers that are counted of each label.
  public static final int KINDS = 3;

  /// The kinds of each label, one label after the other.
  private final double[] counts;

  private LabelCounts(double[] counts) {
    this.counts = counts;
  }

  /// {@return the counts of some rows}
  ///
  /// @param probabilities `n x labels`
  /// @param truth of the rows; what is not known is not counted
  /// @param rows to count
  public static LabelCounts of(DenseMatrix probabilities, TargetRows truth, int... rows) {
    int labels = probabilities.cols();
    double[] counts = new double[KINDS * labels];
    for (int row : rows) {
      for (int t = 0; t < labels; t++) {
        float y = truth.get(row, t);
        boolean predicted = probabilities.get(row, t) >= THRESHOLD;
        if (y == 1) {
          counts[KINDS * t + (predicted ? TRUE_POSITIVES : FALSE_NEGATIVES)]++;
        } else if (y == 0 && predicted) {
          counts[KINDS * t + FALSE_POSITIVES]++;
        }
      }
    }
    return new LabelCounts(counts);
  }

  /// {@return the counts of all ranks}
  ///
  /// @param sum adds up numbers over the ranks
  public LabelCounts summed(UnaryOperator<double[]> sum) {
    return new LabelCounts(sum.apply(counts.clone()));
  }

  /// {@return the number of labels}
  public int labels() {
    return counts.length / KINDS;
  }

  private double count(int label, int kind) {
    return counts[KINDS * label + kind];
  }

  /// {@return rows that have a label}
  ///
  /// @param label number of the label
  public long support(int label) {
    return (long) (count(label, TRUE_POSITIVES) + count(label, FALSE_NEGATIVES));
  }

  /// {@return share of the predictions of a label that are right; empty without any}
  ///
  /// @param label number of the label
  public OptionalDouble precision(int label) {
    double right = count(label, TRUE_POSITIVES);
    return share(right, right + count(label, FALSE_POSITIVES));
  }

  /// {@return share of the rows with a label of which it was predicted; empty without any}
  ///
  /// @param label number of the label
  public OptionalDouble recall(int label) {
    return share(count(label, TRUE_POSITIVES), (double) support(label));
  }

  /// {@return `2 tp / (2 tp + fp + fn)`; empty if no row has the label and it was never predicted}
  ///
  /// @param label number of the label
  public OptionalDouble f1(int label) {
    double twice = 2 * count(label, TRUE_POSITIVES);
    return share(twice, twice + count(label, FALSE_POSITIVES) + count(label, FALSE_NEGATIVES));
  }

  private static OptionalDouble share(double part, double all) {
    return all == 0 ? OptionalDouble.empty() : OptionalDouble.of(part / all);
  }

  /// {@return [#f1] of the counts of all labels added up; 0 without any}
  public double microF1() {
    double[] sums = new double[KINDS];
    Arrays.setAll(
        sums, kind -> IntStream.range(0, labels()).mapToDouble(label -> count(label, kind)).sum());
    return new LabelCounts(sums).f1(0).orElse(0);
  }

  /// {@return the unweighted mean of [#f1] over the labels that occur, among rows or predictions; 0
  /// without any}
  public double macroF1() {
    return IntStream.range(0, labels())
        .mapToObj(this::f1)
        .flatMapToDouble(OptionalDouble::stream)
        .average()
        .orElse(0);
  }
}
