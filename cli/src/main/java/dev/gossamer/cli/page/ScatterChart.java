package dev.gossamer.cli.page;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/// Points of several groups in a plane.
///
/// @param title what a point stands for
/// @param across what is on the horizontal axis; empty if coordinates mean nothing, for no axes
/// @param up what is on the vertical axis
/// @param groups from the one at the top of the legend to the last, which is drawn first, under the
///   others
public record ScatterChart(String title, String across, String up, List<Group> groups) {
  private static final int LEFT = 56;
  private static final int RIGHT = SvgPlot.WIDTH - 16;
  private static final int BOTTOM = 40;
  private static final double KEY = 20;

  /// Points of one colour.
  ///
  /// @param name in the legend
  /// @param style one of [Style#dots]
  /// @param x of each point, a finite number
  /// @param y of each point, a finite number
  @SuppressWarnings("ArrayRecordComponent")
  public record Group(String name, String style, double[] x, double[] y) {}

  /// The drawing.
  public SvgPlot plot() {
    Legend legend =
        Legend.of(groups.stream().map(Group::name).toList(), 0, SvgPlot.WIDTH, Legend.ROW);
    double top = legend.bottom(Legend.ROW) + (across.isEmpty() ? 10 : 26);
    double base = top + RIGHT - LEFT;
    Scale horizontal = Scale.of(all(Group::x), LEFT, RIGHT, false);
    Scale vertical = Scale.of(all(Group::y), base, top, false);
    SvgPlot plot = new SvgPlot(SvgPlot.WIDTH, (int) base + BOTTOM, said()).heading(title);
    if (!across.isEmpty()) {
      plot.text("start", 0, top - 10, up);
      Scale.axes(plot, horizontal, vertical);
      plot.text("middle", (LEFT + RIGHT) / 2.0, base + BOTTOM - 4, across);
    }
    for (Group group : groups.reversed()) {
      double[] x = DoubleStream.of(group.x).map(horizontal::at).toArray();
      plot.dots(group.style, x, DoubleStream.of(group.y).map(vertical::at).toArray());
    }
    for (int g = 0; g < groups.size(); g++) {
      Legend.Place place = legend.places().get(g);
      double[] x = {place.x() + KEY};
      plot.dots(groups.get(g).style + " key", x, new double[] {place.y()});
    }
    legend.names(plot);
    return plot;
  }

  private double[] all(Function<Group, double[]> coordinates) {
    return groups.stream().map(coordinates).flatMapToDouble(DoubleStream::of).toArray();
  }

  /// The drawing in words.
  private String said() {
    return title
        + groups.stream()
            .map(group -> "%s %,d".formatted(group.name, group.x.length))
            .collect(Collectors.joining("; ", ": ", ""));
  }
}
