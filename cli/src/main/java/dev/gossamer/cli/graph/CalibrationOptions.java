package dev.gossamer.cli.graph;

import dev.gossamer.CalibrationSettings;
import dev.gossamer.CalibrationSettings.Threshold;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.terminal.ForceOptions;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Flags of what is fitted to validation vertices, and where it is written.
final class CalibrationOptions {
  private static final String PRECISION = "precision:";

  @Option(
      names = "--temperature",
      paramLabel = "T",
      description = "Set the temperature instead of fitting it: 0.05 to 20; 1 is that of training.")
  @Nullable Double temperature;

  @Option(
      names = "--threshold",
      paramLabel = "RULE",
      defaultValue = "likeliest",
      description =
          "From which probability on the second of two classes is predicted: likeliest (no threshold), f1 (the highest F1"
              + " on validation), precision:P (the highest recall there with a precision of at least P), or a number"
              + " (default: ${DEFAULT-VALUE}).")
  String threshold = "likeliest";

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      description =
          "Write the calibrated model into this file, and leave that of the run as it is (default: replace it).")
  @Nullable Path out;

  @Mixin ForceOptions existing = new ForceOptions();

  /// Returns what is fitted.
  ///
  /// @throws InvalidSettingException if a flag cannot be read
  CalibrationSettings settings() {
    return new CalibrationSettings(temperature, rule(threshold.toLowerCase(Locale.ROOT)));
  }

  private static Threshold rule(String text) {
    return switch (text) {
      case "likeliest" -> new Threshold.Likeliest();
      case "f1" -> new Threshold.BestF1();
      default ->
          text.startsWith(PRECISION)
              ? new Threshold.AtPrecision(number(text.substring(PRECISION.length()), text))
              : new Threshold.Fixed(number(text, text));
    };
  }

  private static double number(String digits, String text) {
    try {
      return Double.parseDouble(digits);
    } catch (NumberFormatException e) {
      throw new InvalidSettingException(
          "{threshold}: expected likeliest, f1, precision:P or a number, found " + text, e);
    }
  }

  /// Returns the file to write.
  ///
  /// @param model that is calibrated
  /// @throws dev.gossamer.base.InvalidInputException if another file is to be written, and exists
  ///   or cannot be written
  Path file(Path model) {
    if (out != null) {
      existing.requireNew(out);
      return out;
    }
    if (existing.force) {
      throw new InvalidSettingException("{force}: a flag of {out}; add that or leave it out");
    }
    return model;
  }
}
