package dev.gossamer.run;

import java.util.OptionalDouble;

/// Scores of a model on each part of the data.
///
/// @param train scores on the training part
/// @param validation on the validation part
/// @param test on the test part
public record Evaluation(Scores train, Scores validation, Scores test) {
  /// Scores over one part.
  ///
  /// @param count labelled vertices in the part; with 0 the scores are 0
  /// @param loss mean cross entropy
  /// @param accuracy share of correct predictions
  /// @param macroF1 unweighted mean over the classes that occur in labels or predictions of `2 tp /
  ///   (2 tp + fp + fn)`
  /// @param rocAuc area under the receiver operating characteristic, if there are two classes and
  ///   both occur
  public record Scores(
      long count, double loss, double accuracy, double macroF1, OptionalDouble rocAuc) {
    /// {@return `2 tp / (2 tp + fp + fn)` with the counts of all classes added up; with one class
    /// per vertex, every wrong prediction is both a false positive and a false negative, so that
    /// this is the accuracy}
    public double microF1() {
      return accuracy;
    }
  }
}
