package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The loss of rows that have one class each, and its gradient: cross-entropy, or one of two
/// changes of it, with a weight for each class.
///
/// With the probabilities `p` of a row ([Softmax]), its label `y` among `C` classes and the weight
/// `w[y]` of that class, the loss of the row is
/// - cross-entropy: `-w[y] log p[y]`, with the gradient `w[y] (p - onehot(y))` in the logits;
/// - with label smoothing `e`: the cross-entropy to `q = (1 - e) onehot(y) + e / C`, with the
///   gradient `w[y] (p - q)` (C. Szegedy et al., 2016);
/// - focal, with `g > 0`: `-w[y] (1 - p[y])^g log p[y]` (T.-Y. Lin et al., 2017), whose gradient is
///   that of cross-entropy times `(1 - p[y])^g - g p[y] (1 - p[y])^(g - 1) log p[y]`.
///
/// Losses are summed in float64, in a fixed order.
public final class ClassLoss {
  /// Cross-entropy, with all classes of equal weight.
  public static final ClassLoss CROSS_ENTROPY = new ClassLoss(null, 0, 0);

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final float @Nullable [] classWeights;
  private final float smoothing;
  private final double focus;

  private ClassLoss(float @Nullable [] classWeights, double smoothing, double focus) {
    this.classWeights = classWeights;
    this.smoothing = (float) smoothing;
    this.focus = focus;
  }

  /// {@return cross-entropy with label smoothing}
  ///
  /// @param share `e` of the label that all classes share, in `[0, 1)`
  /// @throws IllegalArgumentException if it is not
  public static ClassLoss smoothed(double share) {
    if (!(share >= 0 && share < 1)) {
      throw new IllegalArgumentException(
          "label smoothing: expected a number in [0, 1), found " + share);
    }
    return new ClassLoss(null, share, 0);
  }

  /// {@return the focal loss}
  ///
  /// @param focus `g`; 0 for cross-entropy
  /// @throws IllegalArgumentException if it is negative or not finite
  public static ClassLoss focal(double focus) {
    if (!(focus >= 0 && focus < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "focal loss: expected a number that is not negative, found " + focus);
    }
    return new ClassLoss(null, 0, focus);
  }

  /// {@return a copy with weights}
  ///
  /// @param weights of each class, copied
  public ClassLoss withClassWeights(float... weights) {
    return new ClassLoss(weights.clone(), smoothing, focus);
  }

  /// {@return a copy of the weight of each class; null for equal weights}
  public float @Nullable [] classWeights() {
    return classWeights == null ? null : classWeights.clone();
  }

  /// Computes the mean loss of the listed rows, and replaces the logits by its gradient.
  ///
  /// @param logits `n x C`, `C >= 1`; overwritten: rows that are not listed become zero
  /// @param labels `n` classes, -1 for none
  /// @param rows the rows to train on, strictly ascending
  /// @param w threads that share the work
  /// @return the mean; 0 without rows
  /// @throws IllegalArgumentException if the sizes do not fit, the rows do not ascend, or a listed
  ///   row has no label in `0..C-1`
  public double andGradient(DenseMatrix logits, int[] labels, int[] rows, Workers w) {
    return andGradient(logits, labels, rows, rows.length, w);
  }

  /// Computes loss and gradient of rows that are distributed over ranks: both are divided by
  /// `total`, so that the sums over ranks are those of the mean.
  ///
  /// @param logits `n x C`, `C >= 1`; overwritten: rows that are not listed become zero
  /// @param labels `n` classes, -1 for none
  /// @param rows the rows to train on, strictly ascending
  /// @param total rows listed on all ranks
  /// @param w threads that share the work
  /// @return this rank's part of the mean; 0 without rows
  /// @throws IllegalArgumentException if the sizes do not fit, the rows do not ascend, a listed row
  ///   has no label in `0..C-1`, or `total` is less than the number of listed rows
  public double andGradient(DenseMatrix logits, int[] labels, int[] rows, long total, Workers w) {
    checkSizes(logits, labels);
    ListedRows listed = new ListedRows(rows, total, labels.length);
    for (int row : rows) {
      checkLabel(logits, row, labels[row]);
    }
    float weight = listed.weight();
    return listed.mean(logits, w, row -> row(logits, row, labels[row], weight));
  }

  /// Computes the weighted sum of the losses of all rows, an estimate of a mean from a minibatch,
  /// and replaces the logits by its gradient.
  ///
  /// @param logits `n x C`, `C >= 1`; overwritten: rows of weight 0 become zero
  /// @param labels `n` classes; those of rows of weight 0 are ignored
  /// @param weights of the rows, `n`
  /// @param w threads that share the work
  /// @return the weighted sum
  /// @throws IllegalArgumentException if the sizes do not fit, or a row with a weight has no label
  ///   in `0..C-1`
  public double weightedAndGradient(DenseMatrix logits, int[] labels, float[] weights, Workers w) {
    checkSizes(logits, labels);
    for (int i = 0; i < Math.min(labels.length, weights.length); i++) {
      if (weights[i] != 0) {
        checkLabel(logits, i, labels[i]);
      }
    }
    return ListedRows.weightedSum(
        logits, weights, w, row -> row(logits, row, labels[row], weights[row]));
  }

  private float weightOf(int label) {
    return classWeights == null ? 1 : classWeights[label];
  }

  private void checkSizes(DenseMatrix logits, int[] labels) {
    if (logits.cols() < 1 || labels.length != logits.rows()) {
      throw new IllegalArgumentException(
          "class loss: logits are %s but there are %d labels".formatted(logits, labels.length));
    }
    if (classWeights != null && classWeights.length != logits.cols()) {
      throw new IllegalArgumentException(
          "class loss: logits are %s but there are weights of %d classes"
              .formatted(logits, classWeights.length));
    }
  }

  private static void checkLabel(DenseMatrix logits, int row, int label) {
    if (label < 0 || label >= logits.cols()) {
      throw new IllegalArgumentException(
          "class loss: row %d has label %d; expected 0..%d"
              .formatted(row, label, logits.cols() - 1));
    }
  }

  /// Replaces a row of logits by the gradient of its loss times a weight, and returns the loss.
  private double row(DenseMatrix z, int row, int label, float weight) {
    MemorySegment data = z.data();
    long at = z.offset(row);
    long labelAt = at + (long) label * Float.BYTES;
    float highest = Softmax.highest(data, at, z.cols());
    double margin = (double) highest - data.get(FLOAT, labelAt);
    double mean = smoothing > 0 ? mean(z, row) : 0;
    float sum = Softmax.exponentials(data, at, z.cols(), highest);
    double loss = StrictMath.log(sum) + margin;
    float scale = weight * weightOf(label);
    if (focus > 0) {
      // The share of the other classes, which 1 - p would round.
      double others = (sum - (double) data.get(FLOAT, labelAt)) / sum;
      double factor = StrictMath.pow(others, focus);
      scale *= (float) (others == 0 ? 0 : factor * (1 + focus * (1 - others) / others * loss));
      loss *= factor;
    }
    Softmax.scale(data, at, z.cols(), scale / sum);
    data.set(FLOAT, labelAt, data.get(FLOAT, labelAt) - scale * (1 - smoothing));
    if (smoothing > 0) {
      loss += smoothing * (highest - margin - mean);
      add(z, row, -scale * smoothing / z.cols());
    }
    return weightOf(label) * loss;
  }

  private static double mean(DenseMatrix z, int row) {
    double sum = 0;
    for (int c = 0; c < z.cols(); c++) {
      sum += z.get(row, c);
    }
    return sum / z.cols();
  }

  private static void add(DenseMatrix z, int row, float amount) {
    for (int c = 0; c < z.cols(); c++) {
      z.set(row, c, z.get(row, c) + amount);
    }
  }

  @Override
  public String toString() {
    return "ClassLoss[classWeights=%s, smoothing=%s, focus=%s]"
        .formatted(Arrays.toString(classWeights), smoothing, focus);
  }
}
