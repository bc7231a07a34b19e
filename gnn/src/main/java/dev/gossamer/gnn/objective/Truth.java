package dev.gossamer.gnn.objective;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Team;

/// What is true of some vertices, one row for each: the loss of outputs for them, and their scores.
public interface Truth {
  /// Computes a rank's part of the mean loss over the training vertices of all ranks, and replaces
  /// the outputs by its gradient.
  ///
  /// @param outputs of the network; overwritten: rows that are not listed become zero
  /// @param rows the rows to train on, strictly ascending
  /// @param total training vertices of all ranks
  /// @param w threads that share the work
  /// @return this rank's part of the mean
  double lossAndGradient(DenseMatrix outputs, int[] rows, long total, Workers w);

  /// Computes the weighted sum of the losses of all rows, which estimates the mean over the
  /// training vertices, and replaces the outputs by its gradient.
  ///
  /// @param outputs of the network; overwritten: rows of weight 0 become zero
  /// @param weights of the rows
  /// @param w threads that share the work
  /// @return the weighted sum
  double weightedLossAndGradient(DenseMatrix outputs, float[] weights, Workers w);

  /// Turns outputs into predictions, in place, and scores them over all ranks. Collective.
  ///
  /// @param outputs of the network; overwritten with predictions
  /// @param rows that are scored in each part
  /// @param team ranks that hold different rows
  /// @param w threads that share the work
  /// @return the scores of each part
  Evaluation evaluate(DenseMatrix outputs, ScoredRows rows, Team team, Workers w);
}
