package dev.gossamer.graph.generate;

import dev.gossamer.matrix.io.InvalidInputException;

/// Parameters of a generator come from a user: what is wrong with one is said in one line.
final class Require {
  private Require() {}

  static void that(boolean holds, String parameter, String expected, Object found) {
    if (!holds) {
      throw new InvalidInputException(
          "%s: expected %s, found %s".formatted(parameter, expected, found));
    }
  }

  static void fraction(String parameter, double value) {
    that(value >= 0 && value <= 1, parameter, "0 to 1", value);
  }

  static void positive(String parameter, double value) {
    that(value > 0 && value < Double.POSITIVE_INFINITY, parameter, "more than 0", value);
  }
}
