package dev.gossamer.pruned.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ClassLoss;
import dev.gossamer.matrix.dense.Softmax;

/// The loss of classifiers and language models: `-log softmax(z)[label]`, summed over the rows that
/// have a label, in float64 in a fixed order. Its gradient is `softmax(z) - onehot(label)`.
public final class CrossEntropy {
  /// The label of a row without one.
  public static final int NO_LABEL = -1;

  private CrossEntropy() {}

  /// The counts of an evaluation.
  ///
  /// @param loss sum over the rows with a label
  /// @param right rows whose label has the highest score
  /// @param rows with a label
  /// @param predicted class of each row
  @SuppressWarnings("ArrayRecordComponent")
  public record Evaluation(double loss, long right, long rows, int[] predicted) {}

  /// Computes the sum of the losses, and replaces the logits by `scale` times its gradient.
  ///
  /// @param logits `n x C`; overwritten, rows without a label by 0
  /// @param labels `n` classes, or [#NO_LABEL]
  /// @param scale of the gradient, positive: `1 / rows of the batch`, times a loss scale
  /// @param w threads to use; borrowed
  /// @return the sum, not scaled
  /// @throws IllegalArgumentException if the sizes do not fit, a label is neither a class nor
  ///   missing, or the scale is not positive
  public static double lossAndGradient(DenseMatrix logits, int[] labels, float scale, Workers w) {
    if (!(scale > 0 && scale < Float.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "cross entropy: expected a positive scale, found " + scale);
    }
    float[] weights = new float[labels.length];
    for (int i = 0; i < labels.length; i++) {
      weights[i] = labels[i] == NO_LABEL ? 0 : scale;
    }
    return ClassLoss.CROSS_ENTROPY.weightedAndGradient(logits, labels, weights, w) / scale;
  }

  /// {@return the sum of the losses}
  ///
  /// @param logits overwritten
  /// @param labels as for [#lossAndGradient]
  /// @param w threads to use; borrowed
  public static double loss(DenseMatrix logits, int[] labels, Workers w) {
    return lossAndGradient(logits, labels, 1f, w);
  }

  /// {@return loss and right predictions}
  ///
  /// @param logits overwritten
  /// @param labels as for [#lossAndGradient]
  /// @param w threads to use; borrowed
  public static Evaluation evaluate(DenseMatrix logits, int[] labels, Workers w) {
    int[] predicted = new int[labels.length];
    Softmax.argmax(logits, predicted, w);
    long right = 0;
    long rows = 0;
    for (int i = 0; i < labels.length; i++) {
      rows += labels[i] == NO_LABEL ? 0 : 1;
      right += predicted[i] == labels[i] ? 1 : 0;
    }
    return new Evaluation(loss(logits, labels, w), right, rows, predicted);
  }
}
