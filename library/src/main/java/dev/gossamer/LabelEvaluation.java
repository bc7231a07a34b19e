package dev.gossamer;

import dev.gossamer.graph.Split;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.LabelCounts;
import dev.gossamer.run.LabelScoring;
import java.util.List;

/// The scores of a model that predicts several labels on each part of a data set, and of each
/// label.
///
/// @param scores of each part
/// @param labels name of each label, in the order of the counts
/// @param train right and wrong predictions of the training part
/// @param validation of the validation part
/// @param test of the test part
/// @param areas how well each label's probabilities rank the vertices of the last part with
///   vertices
public record LabelEvaluation(
    Evaluation scores,
    List<String> labels,
    LabelCounts train,
    LabelCounts validation,
    LabelCounts test,
    List<LabelScoring.Areas> areas) {
  /// Copies the lists.
  public LabelEvaluation {
    labels = List.copyOf(labels);
    areas = List.copyOf(areas);
  }

  /// {@return the last part with vertices: the test part, if it has any}
  public Split lastPart() {
    return ScoredParts.last(scores);
  }

  /// {@return right and wrong predictions of the last part with vertices}
  public LabelCounts lastCounts() {
    return ScoredParts.of(lastPart(), train, validation, test);
  }
}
