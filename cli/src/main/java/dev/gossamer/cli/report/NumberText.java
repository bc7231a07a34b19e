package dev.gossamer.cli.report;

import java.util.Locale;

/// Numbers in the cells of a report.
final class NumberText {
  /// Where there is nothing.
  static final String NONE = "-";

  private NumberText() {}

  /// Returns a number, or [#NONE] if it is not finite.
  static String of(double value, String format) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : NONE;
  }

  /// Returns a number, or [#NONE] if it is not positive.
  static String positive(double value, String format) {
    return value > 0 ? of(value, format) : NONE;
  }
}
