package dev.gossamer.cli.page;

import java.util.List;

/// How often predictions are right, by how probable they were said to be: bars, and a diagonal on
/// which both are the same.
///
/// @param title what is predicted
/// @param bins in any order
public record ReliabilityChart(String title, List<Bin> bins) {
  private static final int LEFT = 56;
  private static final int RIGHT = SvgPlot.WIDTH - 16;
  private static final int KEYS = 18;
  private static final int TOP = KEYS + 3 * Legend.ROW + 10;
  private static final int BASE = TOP + RIGHT - LEFT;
  private static final int HEIGHT = BASE + 40;
  private static final String SHARE = "share that is right";
  private static final String MEAN = "the same, at the mean probability";

  /// Predictions with similar probabilities.
  ///
  /// @param from least probability of the bin
  /// @param to greatest
  /// @param mean probability
  /// @param right share of predictions that are right
  /// @param tip the same in words
  public record Bin(double from, double to, double mean, double right, String tip) {}

  /// The drawing.
  public SvgPlot plot() {
    Scale across = Scale.between(0, 1, LEFT, RIGHT);
    Scale up = Scale.between(0, 1, BASE, TOP);
    SvgPlot plot = new SvgPlot(SvgPlot.WIDTH, HEIGHT, title).heading(title);
    Scale.axes(plot, across, up);
    for (Bin bin : bins) {
      double x = across.at(bin.from);
      double y = up.at(bin.right);
      plot.bar("bar", x + 0.5, y, across.at(bin.to) - x - 1, BASE - y, bin.tip);
    }
    plot.line("mark", across.at(0), up.at(0), across.at(1), up.at(1));
    for (Bin bin : bins) {
      plot.point(Style.fill(1), across.at(bin.mean), up.at(bin.right), bin.tip);
    }
    plot.text("middle", (LEFT + RIGHT) / 2.0, HEIGHT - 4, "probability of the likeliest class");
    plot.bar("bar", 6, KEYS + 4, 12, 10, SHARE).text("start", Legend.KEY, KEYS + 13, SHARE);
    double mean = KEYS + Legend.ROW;
    plot.point(Style.fill(1), 12, mean + 9, MEAN).text("start", Legend.KEY, mean + 13, MEAN);
    double equal = mean + Legend.ROW;
    plot.line("mark", 0, equal + 9, Legend.KEY - 6, equal + 9);
    return plot.text("start", Legend.KEY, equal + 13, "probabilities are frequencies");
  }
}
