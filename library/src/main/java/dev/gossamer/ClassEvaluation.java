package dev.gossamer;

import dev.gossamer.run.Confusion;
import dev.gossamer.run.Evaluation;
import java.util.List;

/// How well a model predicts each part of a data set, and which classes it takes for which.
///
/// @param scores of each part
/// @param classes name of each class, in the order of the counts
/// @param train labels and predictions of the training part
/// @param validation of the validation part
/// @param test of the test part
public record ClassEvaluation(
    Evaluation scores,
    List<String> classes,
    Confusion train,
    Confusion validation,
    Confusion test) {
  /// Copies the list.
  public ClassEvaluation {
    classes = List.copyOf(classes);
  }
}
