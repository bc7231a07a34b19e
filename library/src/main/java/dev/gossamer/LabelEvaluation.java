package dev.gossamer;

import dev.gossamer.run.Evaluation;
import dev.gossamer.run.LabelCounts;
import java.util.List;

/// The scores of a model that predicts several labels on each part of a data set, with the counts
/// of each label.
///
/// @param scores of each part
/// @param labels name of each label, in the order of the counts
/// @param train right and wrong predictions of the training part
/// @param validation of the validation part
/// @param test of the test part
public record LabelEvaluation(
    Evaluation scores,
    List<String> labels,
    LabelCounts train,
    LabelCounts validation,
    LabelCounts test) {
  /// Copies the list.
  public LabelEvaluation {
    labels = List.copyOf(labels);
  }
}
