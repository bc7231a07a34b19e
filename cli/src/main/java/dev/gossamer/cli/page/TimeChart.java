package dev.gossamer.cli.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What happened when: a row for each of several tracks. It is as wide as two other drawings, and
/// moves sideways on narrow pages.
///
/// @param title what is shown
/// @param rows name of each track, from top to bottom
/// @param spans what happened
public record TimeChart(String title, List<String> rows, List<Span> spans) {
  private static final int LEFT = 160;
  private static final int WIDTH = 2 * SvgPlot.WIDTH;
  private static final int RIGHT = WIDTH - 20;
  private static final int ROW = 22;

  /// Pixels under which something is drawn with what follows it in its row, if that is of the same
  /// kind.
  private static final double LEAST = 0.4;

  /// Something that happened.
  ///
  /// @param row number of its track
  /// @param kind by which it is coloured
  /// @param name what it is
  /// @param begin in milliseconds
  /// @param end in milliseconds
  public record Span(int row, String kind, String name, double begin, double end) {}

  /// The drawing.
  public SvgPlot plot() {
    double first = spans.stream().mapToDouble(Span::begin).min().orElse(0);
    double last = Math.max(spans.stream().mapToDouble(Span::end).max().orElse(1), first + 1e-6);
    List<String> kinds =
        List.copyOf(new LinkedHashSet<>(spans.stream().map(Span::kind).sorted().toList()));
    Legend legend = Legend.of(kinds, LEFT - 12.0, WIDTH, Legend.ROW);
    double top = legend.bottom(Legend.ROW) + 6;
    double base = top + (double) ROW * rows.size();
    SvgPlot plot = new SvgPlot(WIDTH, (int) base + 40, title).heading(title);
    legend.squares(plot);
    Ticks ticks = Ticks.of(0, last - first, false);
    double scale = (RIGHT - LEFT) / (last - first);
    for (double tick : ticks.values()) {
      double x = LEFT + scale * tick;
      plot.line("axis", x, top, x, base + 4).text("middle", x, base + 18, ticks.text(tick));
    }
    plot.text("middle", (LEFT + RIGHT) / 2.0, base + 34, "milliseconds");
    for (int row = 0; row < rows.size(); row++) {
      plot.text("end", LEFT - 8, top + ROW * row + 15, rows.get(row));
    }
    for (Span span : joined(LEAST / scale)) {
      plot.bar(
          Style.fill(kinds.indexOf(span.kind)),
          LEFT + scale * (span.begin - first),
          top + ROW * span.row + 2,
          Math.max(LEAST, scale * (span.end - span.begin)),
          ROW - 4,
          String.format(Locale.ROOT, "%s: %.3f ms", span.name, span.end - span.begin));
    }
    return plot;
  }

  /// Without gaps that nobody sees between spans of a kind, so that a drawing stays small.
  private List<Span> joined(double least) {
    List<Span> joined = new ArrayList<>();
    Map<Integer, Integer> lastOfRow = new HashMap<>();
    for (Span span : spans.stream().sorted(Comparator.comparingDouble(Span::begin)).toList()) {
      int before = lastOfRow.getOrDefault(span.row, -1);
      Span last = before < 0 ? null : joined.get(before);
      if (last != null
          && last.kind.equals(span.kind)
          && span.begin - last.end < least
          && (span.end - span.begin < least || last.end - last.begin < least)) {
        double end = Math.max(last.end, span.end);
        joined.set(before, new Span(span.row, span.kind, last.name, last.begin, end));
      } else {
        lastOfRow.put(span.row, joined.size());
        joined.add(span);
      }
    }
    return joined;
  }
}
