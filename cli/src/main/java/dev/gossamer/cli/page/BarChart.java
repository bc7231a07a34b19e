package dev.gossamer.cli.page;

import java.util.List;

/// A horizontal bar for each of several names, under its name.
///
/// @param title what the bars show
/// @param kinds what the colours of parts stand for, in the order of their [Style#fill]; empty if
///   there is one kind
/// @param bars from top to bottom
public record BarChart(String title, List<String> kinds, List<Bar> bars) {
  /// Pixels of a row with a name and its bar.
  public static final int ROW = 34;

  /// Pixels of the name in its row.
  public static final int NAME = 16;

  private static final int VALUES = 80;
  private static final int GAP = 6;

  /// A bar of several parts, or of one.
  ///
  /// @param name above it
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
    Legend legend = Legend.of(kinds, 0, SvgPlot.WIDTH, 0);
    double top = kinds.isEmpty() ? 0 : legend.bottom(0) + GAP;
    SvgPlot plot = new SvgPlot(SvgPlot.WIDTH, (int) top + ROW * bars.size() + 4, title);
    legend.squares(plot);
    double longest = bars.stream().mapToDouble(Bar::length).max().orElse(1);
    double scale = (SvgPlot.WIDTH - VALUES) / (longest > 0 ? longest : 1);
    for (int b = 0; b < bars.size(); b++) {
      Bar bar = bars.get(b);
      double y = top + ROW * b;
      name(plot, y, bar.name);
      double x = 0;
      for (Part part : bar.parts) {
        plot.bar(part.style, x, y + NAME, scale * part.length, ROW - NAME - 4, part.tip);
        x += scale * part.length;
      }
      plot.text("start", x + 5, y + NAME + 11, bar.text);
    }
    return plot;
  }

  /// Writes a name at the top of a row, shortened if need be.
  ///
  /// @param y of the row's top
  public static void name(SvgPlot plot, double y, String name) {
    plot.text("start", 0, y + 12, SvgPlot.shortened(name, SvgPlot.WIDTH / SvgPlot.LETTER));
  }
}
