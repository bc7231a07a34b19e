package dev.gossamer.cli.page;

import java.util.Arrays;

/// Positions on an axis.
///
/// @param least number on the axis
/// @param most number on the axis, above it
/// @param from pixel of the least number
/// @param to pixel of the greatest
/// @param ticks round numbers on the axis
record Scale(double least, double most, double from, double to, Ticks ticks) {
  /// Returns an axis of some numbers.
  ///
  /// @param counts whether they count something
  static Scale of(double[] values, double from, double to, boolean counts) {
    double least = Arrays.stream(values).min().orElse(0);
    double most = Arrays.stream(values).max().orElse(1);
    if (least == most) {
      double room = counts ? 1 : Math.max(Math.abs(least) / 10, 1e-3);
      least -= room;
      most += room;
    }
    return new Scale(least, most, from, to, Ticks.of(least, most, counts));
  }

  /// Returns an axis from one number to another.
  static Scale between(double least, double most, double from, double to) {
    return new Scale(least, most, from, to, Ticks.of(least, most, false));
  }

  /// Draws two axes, with lines across the drawing at the round numbers of the upright one.
  static void axes(SvgPlot plot, Scale across, Scale up) {
    for (double tick : up.ticks.values()) {
      plot.line("axis", across.from, up.at(tick), across.to, up.at(tick));
      plot.text("end", across.from - 8, up.at(tick) + 4, up.ticks.text(tick));
    }
    for (double tick : across.ticks.values()) {
      plot.line("axis", across.at(tick), up.from, across.at(tick), up.from + 4);
      plot.text("middle", across.at(tick), up.from + 18, across.ticks.text(tick));
    }
  }

  /// Returns the pixel of a number.
  double at(double value) {
    return from + (value - least) / (most - least) * (to - from);
  }
}
