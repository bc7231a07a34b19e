package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;

/// Checks of what several encodings have.
final class EncodingChecks {
  private EncodingChecks() {}

  /// @throws InvalidSettingException if a number of features is not in 1..65536
  static void requireFeatures(String component, int count) {
    if (count < 1 || count > FittedEncoding.MOST) {
      throw new InvalidSettingException(
          "{%s}: expected 1 to %d, found %d".formatted(component, FittedEncoding.MOST, count));
    }
  }

  /// @throws InvalidSettingException if the mean is not finite, or the deviation not positive
  static void requireMoments(double mean, double deviation) {
    if (!Double.isFinite(mean)) {
      throw new InvalidSettingException("{mean}: expected a finite number, found " + mean);
    }
    if (!(deviation > 0) || !Double.isFinite(deviation)) {
      throw new InvalidSettingException(
          "{deviation}: expected a positive number, found " + deviation);
    }
  }
}
