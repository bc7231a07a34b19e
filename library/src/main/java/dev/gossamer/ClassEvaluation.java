package dev.gossamer;

import dev.gossamer.graph.Split;
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
/// @param reliability of the probabilities of the last part with vertices
public record ClassEvaluation(
    Evaluation scores,
    List<String> classes,
    Confusion train,
    Confusion validation,
    Confusion test,
    Reliability reliability) {
  /// Copies the list.
  public ClassEvaluation {
    classes = List.copyOf(classes);
  }

  /// {@return the last part with vertices: the test part, if it has any}
  public Split lastPart() {
    return ScoredParts.last(scores);
  }

  /// {@return labels and predictions of a part}
  ///
  /// @param part of the data set
  /// @throws IllegalArgumentException if nothing is predicted of the part
  public Confusion counts(Split part) {
    return ScoredParts.of(part, train, validation, test);
  }
}
