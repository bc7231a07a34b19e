package dev.gossamer.cli.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/// Predicted numbers beside those that are known: for each kind of number the points of both, with
/// a diagonal on which they are the same, and under it a histogram of the distances between them.
///
/// @param title what is predicted
/// @param rows from top to bottom
public record AgreementChart(String title, List<Row> rows) {
  /// Bars of a histogram.
  static final int BINS = 30;

  private static final int HEAD = 24;
  private static final int LEFT = 56;
  private static final int RIGHT = SvgPlot.WIDTH - 16;
  private static final double MIDDLE = (LEFT + RIGHT) / 2.0;
  private static final int TOP = 46;
  private static final int BASE = TOP + RIGHT - LEFT;
  private static final int BARS = BASE + 66;
  private static final int FLOOR = BARS + 140;
  private static final int ROW = FLOOR + 52;

  /// A kind of number.
  ///
  /// @param name of the number
  /// @param known of each point, finite
  /// @param predicted of each point, finite
  /// @param residuals predicted less known, of these and of more; finite
  @SuppressWarnings("ArrayRecordComponent")
  public record Row(String name, double[] known, double[] predicted, double[] residuals) {}

  /// A bar of a histogram.
  ///
  /// @param from least distance
  /// @param to greatest distance
  record Bin(double from, double to, int count) {}

  /// The drawing.
  public SvgPlot plot() {
    SvgPlot plot = new SvgPlot(SvgPlot.WIDTH, HEAD + ROW * rows.size(), said()).heading(title);
    for (int r = 0; r < rows.size(); r++) {
      Row row = rows.get(r);
      double y = (double) HEAD + ROW * r;
      BarChart.name(plot, y + 8, row.name);
      if (row.known.length > 0) {
        points(plot, row, y);
        histogram(plot, row, y);
      } else {
        plot.text("start", LEFT, y + TOP, "nothing is known of it");
      }
    }
    return plot;
  }

  private static void points(SvgPlot plot, Row row, double y) {
    double[] all =
        DoubleStream.concat(Arrays.stream(row.known), Arrays.stream(row.predicted)).toArray();
    Scale across = Scale.of(all, LEFT, RIGHT, false);
    Scale up = Scale.of(all, y + BASE, y + TOP, false);
    Scale.axes(plot, across, up);
    plot.dots(
        Style.dots(0),
        Arrays.stream(row.known).map(across::at).toArray(),
        Arrays.stream(row.predicted).map(up::at).toArray());
    plot.line("mark", across.from(), up.from(), across.to(), up.to());
    plot.text("start", LEFT, y + TOP - 8, "predicted");
    plot.text("middle", MIDDLE, y + BASE + 36, "known");
  }

  private static void histogram(SvgPlot plot, Row row, double y) {
    List<Bin> bins = bins(row.residuals);
    double most = bins.stream().mapToInt(Bin::count).max().orElse(1);
    Scale across = Scale.between(bins.getFirst().from, bins.getLast().to, LEFT, RIGHT);
    Scale up = Scale.between(0, most, y + FLOOR, y + BARS);
    Scale.axes(plot, across, up);
    for (Bin bin : bins) {
      double x = across.at(bin.from);
      plot.bar(
          "bar",
          x + 0.5,
          up.at(bin.count),
          across.at(bin.to) - x - 1,
          up.at(0) - up.at(bin.count),
          String.format(Locale.ROOT, "%.4g to %.4g: %,d", bin.from, bin.to, bin.count));
    }
    if (across.least() <= 0 && across.most() >= 0) {
      plot.line("mark", across.at(0), up.from(), across.at(0), up.to());
    }
    plot.text("start", LEFT, y + BARS - 8, "vertices");
    plot.text("middle", MIDDLE, y + FLOOR + 36, "predicted less known");
  }

  /// Bins of equal width from the least value to the greatest.
  static List<Bin> bins(double... values) {
    double least = Arrays.stream(values).min().orElse(0);
    double most = Arrays.stream(values).max().orElse(0);
    if (least == most) {
      double room = Math.max(Math.abs(least) / 10, 1e-3);
      return List.of(new Bin(least - room, most + room, values.length));
    }
    double width = (most - least) / BINS;
    int[] counts = new int[BINS];
    for (double value : values) {
      counts[Math.min(BINS - 1, (int) ((value - least) / width))]++;
    }
    List<Bin> bins = new ArrayList<>();
    for (int b = 0; b < BINS; b++) {
      bins.add(new Bin(least + b * width, least + (b + 1) * width, counts[b]));
    }
    return bins;
  }

  /// The drawing in words.
  private String said() {
    return title + ": " + String.join("; ", rows.stream().map(AgreementChart::said).toList());
  }

  private static String said(Row row) {
    return row.known.length == 0
        ? row.name + ", of which nothing is known"
        : String.format(
            Locale.ROOT,
            "%s of %,d vertices, predicted less known from %.4g to %.4g",
            row.name,
            row.residuals.length,
            Arrays.stream(row.residuals).min().orElse(0),
            Arrays.stream(row.residuals).max().orElse(0));
  }
}
