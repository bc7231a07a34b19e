package dev.gossamer.cli.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Round numbers on an axis.
///
/// @param step between them: 1, 2 or 5 times a power of ten
/// @param values from the least to the greatest
record Ticks(double step, List<Double> values) {
  private static final int MOST = 6;
  private static final double[] STEPS = {1, 2, 5, 10};

  /// Returns at most a few round numbers.
  ///
  /// @param least end of the axis
  /// @param most other end, above it
  /// @param wholeOnly whether the axis counts something
  static Ticks of(double least, double most, boolean wholeOnly) {
    double rough = (most - least) / MOST * (1 - 1e-9);
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double step = STEPS[3] * power;
    for (int i = STEPS.length - 2; i >= 0; i--) {
      step = STEPS[i] * power >= rough ? STEPS[i] * power : step;
    }
    if (wholeOnly) {
      step = Math.max(1, step);
    }
    List<Double> values = new ArrayList<>();
    for (long k = (long) Math.ceil(least / step); k * step <= most; k++) {
      values.add(k * step);
    }
    return new Ticks(step, values);
  }

  /// Returns a number with the digits that tell it from its neighbours.
  String text(double value) {
    int digits = (int) Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    boolean readable = digits <= 6 && Math.abs(value) < 1e9;
    return String.format(Locale.ROOT, readable ? "%,." + digits + "f" : "%.3g", value);
  }
}
