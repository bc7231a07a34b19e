package dev.gossamer.planner;

import dev.gossamer.matrix.io.InvalidSettingException;

/// Times as components of settings.
final class Seconds {
  private Seconds() {}

  /// @throws InvalidSettingException naming the component, if it is not positive or not finite
  static void requirePositive(String component, double seconds) {
    if (!(seconds > 0 && seconds < Double.POSITIVE_INFINITY)) {
      throw new InvalidSettingException(
          "{%s}: expected more than 0 s, found %s s".formatted(component, seconds));
    }
  }
}
