package dev.gossamer;

import dev.gossamer.graph.Split;
import dev.gossamer.run.Evaluation;

/// The three parts of a data set that are scored.
final class ScoredParts {
  private ScoredParts() {}

  /// Returns the last part with vertices: the test part, if it has any.
  static Split last(Evaluation scores) {
    if (scores.test().count() > 0) {
      return Split.TEST;
    }
    return scores.validation().count() > 0 ? Split.VALIDATION : Split.TRAIN;
  }

  /// Returns what belongs to a part.
  ///
  /// @throws IllegalArgumentException if the part is not scored
  static <T> T of(Split part, T train, T validation, T test) {
    return switch (part) {
      case TRAIN -> train;
      case VALIDATION -> validation;
      case TEST -> test;
      default -> throw new IllegalArgumentException("part: expected one of three, found " + part);
    };
  }
}
