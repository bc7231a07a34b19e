package dev.gossamer.run;

/// How well a model predicts each part of the data.
public record Evaluation(Scores train, Scores validation, Scores test) {
  /// Scores over one part.
  ///
  /// @param count labelled vertices in the part; with 0 the scores are 0
  /// @param loss mean cross entropy
  /// @param accuracy share of right predictions
  /// @param macroF1 unweighted mean over the classes that occur in labels or predictions of `2 tp /
  ///   (2 tp + fp + fn)`
  public record Scores(long count, double loss, double accuracy, double macroF1) {}
}
