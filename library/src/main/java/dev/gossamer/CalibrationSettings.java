package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.objective.ClassDecision;
import org.jspecify.annotations.Nullable;

/// What [GraphModel#calibrate] fits. Start with [#DEFAULT] and change what differs.
///
/// @param temperature by which logits are divided, 0.05 to 20; null for the one with the smallest
///   cross-entropy of the validation vertices
/// @param threshold from which probability on the second of two classes is predicted
public record CalibrationSettings(@Nullable Double temperature, Threshold threshold) {
  /// The best temperature, and the likeliest class.
  public static final CalibrationSettings DEFAULT =
      new CalibrationSettings(null, new Threshold.Likeliest());

  /// As after training: the temperature 1, and the likeliest class.
  public static final CalibrationSettings NONE = DEFAULT.withTemperature(1.0);

  /// Checks the temperature.
  ///
  /// @throws InvalidSettingException if it is out of range
  public CalibrationSettings {
    if (temperature != null && !ClassDecision.isTemperature(temperature)) {
      throw new InvalidSettingException(
          "{temperature}: expected %s to %s, found %s"
              .formatted(
                  ClassDecision.MIN_TEMPERATURE, ClassDecision.MAX_TEMPERATURE, temperature));
    }
  }

  /// Returns a copy with another temperature.
  ///
  /// @param number 0.05 to 20; null for the best one
  /// @return the changed copy
  public CalibrationSettings withTemperature(@Nullable Double number) {
    return new CalibrationSettings(number, threshold);
  }

  /// Returns a copy with another threshold.
  ///
  /// @param rule by which it is chosen
  /// @return the changed copy
  public CalibrationSettings withThreshold(Threshold rule) {
    return new CalibrationSettings(temperature, rule);
  }

  /// How the threshold of the second of two classes is chosen. One that is chosen on validation
  /// vertices lies halfway between two of their probabilities, so that rounding decides nothing.
  public sealed interface Threshold {
    /// No threshold: the likeliest class, of any number of classes.
    record Likeliest() implements Threshold {}

    /// The threshold with the highest F1 of the second class.
    record BestF1() implements Threshold {}

    /// The threshold with the highest recall of the second class among those with a precision.
    ///
    /// @param precision above 0 and up to 1
    record AtPrecision(double precision) implements Threshold {
      /// Checks the precision.
      ///
      /// @throws InvalidSettingException if it is out of range
      public AtPrecision {
        if (!(precision > 0 && precision <= 1)) {
          throw new InvalidSettingException(
              "{threshold}: expected a precision above 0 and up to 1, found " + precision);
        }
      }
    }

    /// A given threshold.
    ///
    /// @param threshold between 0 and 1, without both
    record Fixed(double threshold) implements Threshold {
      /// Checks the threshold.
      ///
      /// @throws InvalidSettingException if it is out of range
      public Fixed {
        if (!ClassDecision.isThreshold(threshold)) {
          throw new InvalidSettingException(
              "{threshold}: expected a number between 0 and 1, found " + threshold);
        }
      }
    }
  }
}
