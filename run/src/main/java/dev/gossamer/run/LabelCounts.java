package dev.gossamer.run;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/// Right and wrong predictions of each of several labels.
public final class LabelCounts implements ClassCounts {
  /// The probability from which on a label is predicted.
  private static final float THRESHOLD = 0.5f;

  private static final int TRUE_POSITIVES = 0;
  private static final int FALSE_POSITIVES = 1;
  private static final int FALSE_NEGATIVES = 2;
  private static final int TRUE_NEGATIVES = 3;

  /// Numbers that are counted of each label.
  public static final int KINDS = 4;

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
        } else if (y == 0) {
          counts[KINDS * t + (predicted ? FALSE_POSITIVES : TRUE_NEGATIVES)]++;
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

  @Override
  public int size() {
    return counts.length / KINDS;
  }

  private long count(int label, int kind) {
    return (long) counts[KINDS * label + kind];
  }

  /// {@return number of vertices of which a label is known to be right or wrong}
  ///
  /// @param label number of the label
  public long known(int label) {
    return IntStream.range(0, KINDS).mapToLong(kind -> count(label, kind)).sum();
  }

  @Override
  public long support(int label) {
    return found(label) + count(label, FALSE_NEGATIVES);
  }

  @Override
  public long predicted(int label) {
    return found(label) + count(label, FALSE_POSITIVES);
  }

  @Override
  public long found(int label) {
    return count(label, TRUE_POSITIVES);
  }

  /// {@return [#f1] of the counts of all labels added up; 0 without any}
  public double microF1() {
    double[] sums = new double[KINDS];
    Arrays.setAll(
        sums, kind -> IntStream.range(0, size()).mapToDouble(label -> count(label, kind)).sum());
    return new LabelCounts(sums).f1(0).orElse(0);
  }
}
