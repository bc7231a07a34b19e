package dev.gossamer.cli.page;

import java.util.List;

/// A horizontal bar for each of several names.
///
/// @param title what the bars show
/// @param kinds what the colours of parts stand for, in the order of their [Style#fill]; empty if
///   there is one kind
/// @param bars from top to bottom
public record BarChart(String title, List<String> kinds, List<Bar> bars) {
  /// Pixels of a page's drawings.
  public static final int WIDTH = 760;

  /// Pixels of a row with a name on its left.
  public static final int ROW = 18;

  /// Where bars begin.
  public static final int NAMES = 220;

  private static final int VALUES = 100;
  private static final int LONGEST_NAME = 32;

  /// A bar of several parts, or of one.
  ///
  /// @param name on its left
  /// @param parts from left to right
  /// @param text on its right
  public record Bar(String name, List<Part> parts, String text) {
    private double length() {
      return parts.stream().mapToDouble(Part::length).sum();
    }
  }

  /// A part of a bar.
  ///
  /// @param style as [SvgPlot#bar] takes it
  /// @param length in the unit of the chart
  /// @param tip what it is
  public record Part(String style, double length, String tip) {}

  /// The drawing.
  public SvgPlot plot() {
    int first = kinds.isEmpty() ? 0 : 1;
    SvgPlot plot =
        new SvgPlot(WIDTH, ROW * (first + bars.size()) + 4, title).legend(NAMES, 0, kinds);
    double longest = bars.stream().mapToDouble(Bar::length).max().orElse(1);
    double scale = (WIDTH - NAMES - VALUES) / (longest > 0 ? longest : 1);
    for (int b = 0; b < bars.size(); b++) {
      Bar bar = bars.get(b);
      int row = first + b;
      name(plot, row, bar.name);
      double x = NAMES;
      for (Part part : bar.parts) {
        plot.bar(part.style, x, ROW * row + 2.0, scale * part.length, ROW - 4, part.tip);
        x += scale * part.length;
      }
      plot.text("start", x + 5, ROW * row + 13.0, bar.text);
    }
    return plot;
  }

  /// Writes a name at the left of a row, shortened if need be.
  public static void name(SvgPlot plot, int row, String name) {
    plot.text("end", NAMES - 8, ROW * row + 13.0, shortened(name));
  }

  static String shortened(String name) {
    return name.codePointCount(0, name.length()) <= LONGEST_NAME
        ? name
        : name.substring(0, name.offsetByCodePoints(0, LONGEST_NAME - 3)) + "...";
  }
}
