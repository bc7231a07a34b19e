package dev.gossamer;

import dev.gossamer.graph.Split;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.NumberScoring;
import java.util.List;

/// The scores of a model that predicts numbers on each part of a data set, and of each number on
/// the last part with vertices.
///
/// @param scores of each part, over all numbers
/// @param names of the numbers
/// @param numbers scores of each, in the same order
public record NumberEvaluation(
    Evaluation scores, List<String> names, List<NumberScoring.OfColumn> numbers) {
  /// Copies the lists.
  public NumberEvaluation {
    names = List.copyOf(names);
    numbers = List.copyOf(numbers);
  }

  /// {@return the last part with vertices: the test part, if it has any}
  public Split lastPart() {
    return ScoredParts.last(scores);
  }
}
