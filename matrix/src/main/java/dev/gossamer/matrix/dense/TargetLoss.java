package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;

/// The loss of rows that have several targets each, and its gradient. What is not known (NaN) has
/// neither.
///
/// The loss of a row is the sum over its known targets, times a scale that the caller chooses so
/// that the mean over rows is a mean over known targets: rows by known targets.
public sealed interface TargetLoss permits LabelLoss, NumberLoss {
  /// Replaces a row of outputs by the gradient of its loss times a weight.
  ///
  /// @param outputs `n x t`
  /// @param targets of the outputs
  /// @param row number of the row
  /// @param weight of the row
  /// @return the loss of the row, without its weight
  double row(DenseMatrix outputs, TargetRows targets, int row, float weight);

  /// Computes loss and gradient of rows that are distributed over ranks, so that the sums over
  /// ranks are those of the mean.
  ///
  /// @param outputs `n x t`; overwritten: rows that are not listed become zero
  /// @param targets of the outputs
  /// @param rows the rows to train on, strictly ascending
  /// @param mean total of rows on all ranks, and scale of the loss of a row
  /// @param w threads that share the work
  /// @return this rank's part of the mean; 0 without rows
  /// @throws IllegalArgumentException if the sizes do not fit, the rows do not ascend, or there are
  ///   more than the total
  default double andGradient(
      DenseMatrix outputs, TargetRows targets, int[] rows, Mean mean, Workers w) {
    targets.require(outputs);
    ListedRows listed = new ListedRows(rows, mean.total(), targets.ids().length);
    float weight = listed.weight() * mean.scale();
    return mean.scale() * listed.mean(outputs, w, row -> row(outputs, targets, row, weight));
  }

  /// Computes the weighted sum of the losses of all rows, an estimate of a mean from a minibatch.
  ///
  /// @param outputs `n x t`; overwritten: rows of weight 0 become zero
  /// @param targets of the outputs
  /// @param weights of the rows
  /// @param scale of the loss of a row
  /// @param w threads that share the work
  /// @return the weighted sum
  /// @throws IllegalArgumentException if the sizes do not fit
  default double weightedAndGradient(
      DenseMatrix outputs, TargetRows targets, float[] weights, float scale, Workers w) {
    targets.require(outputs);
    return scale
        * ListedRows.weightedSum(
            outputs, weights, w, row -> row(outputs, targets, row, weights[row] * scale));
  }

  /// What a mean is taken over.
  ///
  /// @param total rows on all ranks
  /// @param scale of the loss of a row
  record Mean(long total, float scale) {}
}
