package dev.gossamer.tables;

import dev.gossamer.graph.format.Splits;

/// How labelled vertices are divided into training, validation and test vertices where no column
/// says it.
///
/// @param by which vertices go into which part
/// @param fractions of the parts
/// @param seed of a random draw
public record SplitRule(By by, Splits.Fractions fractions, long seed) {
  /// At random, 60/20/20.
  public static final SplitRule DEFAULT = new SplitRule(By.RANDOM, Splits.Fractions.DEFAULT, 0);

  /// Which vertices go into which part.
  public enum By {
    /// Each by itself at random, by the rule of [Splits].
    RANDOM,
    /// At random, each class in the same proportions.
    CLASS,
    /// The earliest are for training, the latest for test; vertices of one time share a part, and
    /// those without a time have none.
    TIME
  }
}
