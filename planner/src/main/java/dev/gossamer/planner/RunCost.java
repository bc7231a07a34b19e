package dev.gossamer.planner;

/// What a run costs: its epochs, its evaluations, and what happens once, before the first epoch.
/// Dividing the graph and reading the data are not in it.
///
/// @param epoch of the training
/// @param evaluation with all vertices, or as training samples them
/// @param once features that are aggregated or copied once, and what ranks agree on
/// @param epochs of the run
/// @param evaluations of the run
public record RunCost(
    EpochCost epoch, PassCost evaluation, PassCost once, int epochs, int evaluations) {
  /// {@return a run of one epoch and one evaluation}
  ///
  /// @param epoch of the training
  /// @param evaluation of it
  /// @param once what happens once
  static RunCost of(EpochCost epoch, PassCost evaluation, PassCost once) {
    return new RunCost(epoch, evaluation, once, 1, 1);
  }

  /// {@return the same of another length}
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
