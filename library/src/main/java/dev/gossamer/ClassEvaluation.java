package dev.gossamer;

import dev.gossamer.run.Confusion;
import dev.gossamer.run.Evaluation;
import java.util.List;

/// The scores of a model on each part of a data set, with confusion matrices.
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
