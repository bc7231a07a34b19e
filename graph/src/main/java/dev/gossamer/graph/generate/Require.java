package dev.gossamer.graph.generate;

import dev.gossamer.base.InvalidSettingException;

/// Checks settings of generators, with messages of one line. Components that are invalid together
/// are separated by commas.
final class Require {
  private Require() {}

  static void that(boolean holds, String component, String expected, Object found) {
    if (!holds) {
      throw new InvalidSettingException(
          "%s: expected %s, found %s".formatted(braced(component), expected, found));
    }
  }

  /// Each of the components, `rows, cols`, in braces.
  private static String braced(String components) {
    return "{" + components.replace(", ", "}, {") + "}";
  }

  static void fraction(String component, double value) {
    that(value >= 0 && value <= 1, component, "0 to 1", value);
  }

  static void positive(String component, double value) {
    that(value > 0 && value < Double.POSITIVE_INFINITY, component, "more than 0", value);
  }
}
