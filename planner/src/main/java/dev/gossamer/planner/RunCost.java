package dev.gossamer.planner;

/// The cost of a run: its epochs, its evaluations, and the one-time cost before the first epoch.
/// Excludes partitioning the graph and reading the data.
///
/// @param epoch of the training
/// @param evaluation with all neighbours, or with sampled ones
/// @param once aggregating or copying features once, and setting up the exchange
/// @param epochs of the run
/// @param evaluations of the run
public record RunCost(
    EpochCost epoch, PassCost evaluation, PassCost once, int epochs, int evaluations) {
  /// {@return a run of one epoch and one evaluation}
  ///
  /// @param epoch of the training
  /// @param evaluation of it
  /// @param once one-time cost
  static RunCost of(EpochCost epoch, PassCost evaluation, PassCost once) {
    return new RunCost(epoch, evaluation, once, 1, 1);
  }

  /// {@return a copy with other numbers of epochs and evaluations}
  ///
  /// @param newEpochs of the run
  /// @param newEvaluations of the run
  public RunCost lasting(int newEpochs, int newEvaluations) {
    return new RunCost(epoch, evaluation, once, newEpochs, newEvaluations);
  }

  /// {@return seconds of the run}
  public double seconds() {
    return epochs * epoch.seconds() + evaluationSeconds() + once.seconds();
  }

  /// {@return seconds of all evaluations}
  public double evaluationSeconds() {
    return evaluations * evaluation.seconds();
  }

  /// {@return bytes that all ranks send in the run}
  public long bytes() {
    return epochs * epoch.traffic().totalBytes()
        + evaluations * evaluation.traffic().totalBytes()
        + once.traffic().totalBytes();
  }
}
