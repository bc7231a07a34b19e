package dev.gossamer.cli.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/// Lines over steps that are counted: one for each run or part.
///
/// @param title what is on the vertical axis
/// @param unit what is counted on the horizontal axis
/// @param lines in the order of their colours
public record LineChart(String title, String unit, List<Line> lines) {
  private static final int LEFT = 56;
  private static final int RIGHT = SvgPlot.WIDTH - 16;
  private static final int HEIGHT = 180;
  private static final int BOTTOM = 40;

  /// Points of a line at most: more than two for each pixel are not seen.
  private static final int MOST_POINTS = 700;

  /// A line.
  ///
  /// @param name in the legend
  /// @param x of each point, ascending
  /// @param y of each point; what is not a finite number is left out
  /// @param marked an `x` whose point is drawn larger; not a number for none
  @SuppressWarnings("ArrayRecordComponent")
  public record Line(String name, double[] x, double[] y, double marked) {
    private Line thinned() {
      int[] kept = Arrays.stream(range(x.length)).filter(i -> Double.isFinite(y[i])).toArray();
      if (kept.length > MOST_POINTS) {
        kept = extremes(kept);
      }
      double[] keptX = Arrays.stream(kept).mapToDouble(i -> x[i]).toArray();
      double[] keptY = Arrays.stream(kept).mapToDouble(i -> y[i]).toArray();
      return new Line(name, keptX, keptY, marked);
    }

    /// The points with the least and the greatest value of each of some stretches.
    private int[] extremes(int[] points) {
      int stretches = MOST_POINTS / 2;
      List<Integer> kept = new ArrayList<>();
      for (int s = 0; s < stretches; s++) {
        int begin = (int) ((long) points.length * s / stretches);
        int end = (int) ((long) points.length * (s + 1) / stretches);
        int low = points[begin];
        int high = low;
        for (int i = begin; i < end; i++) {
          low = y[points[i]] < y[low] ? points[i] : low;
          high = y[points[i]] > y[high] ? points[i] : high;
        }
        kept.add(Math.min(low, high));
        if (low != high) {
          kept.add(Math.max(low, high));
        }
      }
      return kept.stream().mapToInt(i -> i).toArray();
    }

    private static int[] range(int count) {
      int[] all = new int[count];
      Arrays.setAll(all, i -> i);
      return all;
    }

    private DoubleStream xs() {
      return Arrays.stream(x);
    }

    private DoubleStream ys() {
      return Arrays.stream(y);
    }
  }

  /// The drawing.
  public SvgPlot plot() {
    List<Line> drawn = lines.stream().map(Line::thinned).filter(line -> line.x.length > 0).toList();
    if (drawn.isEmpty()) {
      return new SvgPlot(SvgPlot.WIDTH, Legend.ROW, title).heading(title + ": no numbers yet");
    }
    Legend legend =
        Legend.of(drawn.stream().map(Line::name).toList(), 0, SvgPlot.WIDTH, Legend.ROW);
    double top = legend.bottom(Legend.ROW) + 10;
    double base = top + HEIGHT;
    Scale across = Scale.of(drawn.stream().flatMapToDouble(Line::xs).toArray(), LEFT, RIGHT, true);
    Scale up = Scale.of(drawn.stream().flatMapToDouble(Line::ys).toArray(), base, top, false);
    SvgPlot plot = new SvgPlot(SvgPlot.WIDTH, (int) (base + BOTTOM), said(drawn)).heading(title);
    Scale.axes(plot, across, up);
    legend.names(plot);
    for (int l = 0; l < drawn.size(); l++) {
      Legend.Place key = legend.places().get(l);
      plot.line(Style.stroke(l), key.x(), key.y(), key.x() + Legend.KEY - 6, key.y());
      draw(plot, drawn.get(l), l, across, up);
    }
    return plot.text("middle", (LEFT + RIGHT) / 2.0, base + BOTTOM - 4, unit);
  }

  private void draw(SvgPlot plot, Line line, int number, Scale across, Scale up) {
    plot.path(
        Style.stroke(number), line.xs().map(across::at).toArray(), line.ys().map(up::at).toArray());
    int marked = Arrays.binarySearch(line.x, line.marked);
    if (marked >= 0) {
      plot.point(
          Style.fill(number),
          across.at(line.x[marked]),
          up.at(line.y[marked]),
          String.format(
              Locale.ROOT, "%s, %s %.0f: %.4g", line.name, unit, line.x[marked], line.y[marked]));
    }
  }

  /// The drawing in words.
  private String said(List<Line> drawn) {
    return title
        + " by "
        + unit
        + ": "
        + String.join("; ", drawn.stream().map(LineChart::said).toList());
  }

  private static String said(Line line) {
    return String.format(
        Locale.ROOT, "%s from %.4g to %.4g", line.name, line.y[0], line.y[line.y.length - 1]);
  }
}
