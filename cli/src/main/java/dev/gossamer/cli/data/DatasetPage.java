package dev.gossamer.cli.data;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// An HTML page about a data set: its facts, and plots of degrees, classes and features. One file
/// without scripts that loads nothing.
///
/// @param facts as `dataset info` prints them
/// @param features their ranges; empty without features
record DatasetPage(DatasetFacts facts, List<FeatureRange> features) {
  private static final int MOST_CLASSES = 60;
  private static final int MOST_FEATURES = 60;
  private static final int WIDTH = 760;

  /// Pixels of a row of a plot with names on its left.
  private static final int ROW = 18;

  private static final int NAMES = 220;
  private static final int LONGEST_NAME = 32;
  private static final int MARGIN = 50;

  private static final String STYLE =
      """
      body { font: 15px/1.4 sans-serif; max-width: 800px; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }
      table { border-collapse: collapse; }
      td { padding: 1px 1.5em 1px 0; vertical-align: top; overflow-wrap: anywhere; }
      td:first-child { color: #666; white-space: nowrap; }
      svg { max-width: 100%; height: auto; }
      svg text { font: 12px sans-serif; fill: #333; }
      .bar { fill: #3b75af; }
      .axis { stroke: #ccc; }
      .mark { stroke: #b03a2e; stroke-width: 2; }
      """;

  /// The text of the page.
  String html() {
    String name = SvgPlot.escaped(String.valueOf(facts.facts().get("dataset")));
    StringBuilder html = new StringBuilder();
    html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.append("<title>%s</title>%n<style>%n%s</style>%n</head>%n<body>%n".formatted(name, STYLE));
    html.append("<h1>%s</h1>%n<table>%n".formatted(name));
    facts.facts().forEach((key, value) -> row(html, key.replace('_', ' '), value));
    html.append("</table>\n");
    section(
        html,
        "Degrees",
        "Vertices by degree, in steps of a factor of 2; both axes are logarithmic.");
    html.append(degrees());
    if (!facts.classes().isEmpty()) {
      section(html, "Classes", "Labelled vertices of each class, the largest first.");
      html.append(classes());
    }
    if (!features.isEmpty()) {
      section(
          html,
          "Features",
          "Smallest to largest value (bar) and mean (mark) over all vertices, on an axis of sign(x) log10(1 + |x|)%s."
              .formatted(
                  features.size() > MOST_FEATURES
                      ? "; the %d of %,d features with the largest values"
                          .formatted(MOST_FEATURES, features.size())
                      : ""));
      html.append(ranges());
    }
    return html.append("</body>\n</html>\n").toString();
  }

  private static void row(StringBuilder html, String name, Object value) {
    if (value instanceof Map<?, ?> several) {
      several.forEach((key, each) -> row(html, name + ": " + key, each));
    } else {
      html.append(
          "<tr><td>%s</td><td>%s</td></tr>%n"
              .formatted(SvgPlot.escaped(name), SvgPlot.escaped(DatasetFacts.text(value))));
    }
  }

  private static void section(StringBuilder html, String title, String sentence) {
    html.append("<h2>%s</h2>%n<p>%s</p>%n".formatted(title, SvgPlot.escaped(sentence)));
  }

  /// A bar for each bin; one vertex has a bar of some height, too.
  private String degrees() {
    int height = 300;
    List<DegreeFacts.Bin> bins = facts.degrees().bins();
    SvgPlot plot = new SvgPlot(WIDTH, height, "Vertices by degree");
    double base = height - MARGIN;
    long most = bins.stream().mapToLong(DegreeFacts.Bin::vertices).max().orElse(1);
    double decades = Math.max(1, Math.ceil(Math.log10((double) Math.max(1, most))));
    double scale = (base - 10) / (decades + 0.3);
    for (int decade = 0; decade <= decades; decade++) {
      double y = base - scale * (decade + 0.3);
      plot.line("axis", MARGIN + 20, y, WIDTH, y);
      plot.text("end", MARGIN + 15, y + 4, "%,d".formatted((long) Math.pow(10, decade)));
    }
    double step = (WIDTH - MARGIN - 20.0) / Math.max(1, bins.size());
    for (int i = 0; i < bins.size(); i++) {
      DegreeFacts.Bin bin = bins.get(i);
      double x = MARGIN + 20 + i * step;
      double h = bin.vertices() == 0 ? 0 : scale * (Math.log10((double) bin.vertices()) + 0.3);
      String label =
          bin.from() == bin.to()
              ? "%,d".formatted(bin.from())
              : "%,d to %,d".formatted(bin.from(), bin.to());
      plot.bar(
          x + 2, base - h, step - 4, h, "degree %s: %s".formatted(label, counted(bin.vertices())));
      plot.text("middle", x + step / 2, base + 16, "%,d".formatted(bin.from()));
    }
    return plot.text("middle", WIDTH / 2.0, height - 10, "degree, from").svg();
  }

  private static String counted(long vertices) {
    return vertices == 1 ? "1 vertex" : "%,d vertices".formatted(vertices);
  }

  private String classes() {
    List<ClassSize> sorted = facts.largestFirst();
    List<ClassSize> shown = sorted.subList(0, Math.min(MOST_CLASSES, sorted.size()));
    int others = sorted.size() - shown.size();
    SvgPlot plot =
        new SvgPlot(WIDTH, ROW * (shown.size() + (others > 0 ? 1 : 0)) + 4, "Vertices by class");
    double scale = (WIDTH - NAMES - 2.0 * MARGIN) / Math.max(1, sorted.getFirst().vertices());
    for (int i = 0; i < shown.size(); i++) {
      ClassSize size = shown.get(i);
      double w = scale * size.vertices();
      name(plot, i, size.name());
      plot.bar(
          NAMES,
          ROW * i + 2,
          w,
          ROW - 4,
          "%s: %s".formatted(size.name(), counted(size.vertices())));
      plot.text("start", NAMES + w + 5, ROW * i + 13, "%,d".formatted(size.vertices()));
    }
    if (others > 0) {
      name(plot, shown.size(), "(%,d smaller classes)".formatted(others));
    }
    return plot.svg();
  }

  private static void name(SvgPlot plot, int row, String name) {
    String shown =
        name.codePointCount(0, name.length()) <= LONGEST_NAME
            ? name
            : name.substring(0, name.offsetByCodePoints(0, LONGEST_NAME - 3)) + "...";
    plot.text("end", NAMES - 8, ROW * row + 13, shown);
  }

  private String ranges() {
    List<FeatureRange> shown =
        features.size() <= MOST_FEATURES
            ? features
            : features.stream()
                .sorted(Comparator.comparingDouble(FeatureRange::magnitude).reversed())
                .limit(MOST_FEATURES)
                .toList();
    double least = Math.min(0, shown.stream().mapToDouble(f -> scaled(f.least())).min().orElse(0));
    double most = Math.max(0, shown.stream().mapToDouble(f -> scaled(f.most())).max().orElse(0));
    double scale = (WIDTH - NAMES - MARGIN) / Math.max(1e-9, most - least);
    int height = ROW * shown.size();
    SvgPlot plot = new SvgPlot(WIDTH, height + 24, "Ranges of features");
    for (double tick : ticks(least, most)) {
      double x = NAMES + scale * (scaled(tick) - least);
      plot.line("axis", x, 0, x, height);
      plot.text("middle", x, height + 16, "%.4g".formatted(tick).replaceFirst("\\.?0+$", ""));
    }
    for (int i = 0; i < shown.size(); i++) {
      FeatureRange feature = shown.get(i);
      double from = NAMES + scale * (scaled(feature.least()) - least);
      double to = NAMES + scale * (scaled(feature.most()) - least);
      double mean = NAMES + scale * (scaled(feature.mean()) - least);
      name(plot, i, feature.name());
      plot.bar(
          from,
          ROW * i + 6,
          Math.max(1, to - from),
          ROW - 12,
          "%s: %.4g to %.4g, mean %.4g"
              .formatted(feature.name(), feature.least(), feature.most(), feature.mean()));
      plot.line("mark", mean, ROW * i + 3, mean, ROW * i + ROW - 3);
    }
    return plot.svg();
  }

  private static double scaled(double x) {
    return Math.signum(x) * Math.log10(1 + Math.abs(x));
  }

  /// 0, and the ends of the axis where they are not close to it.
  private static List<Double> ticks(double least, double most) {
    return List.of(least, 0.0, most).stream()
        .filter(end -> end == 0 || Math.abs(end) > (most - least) / 10)
        .map(end -> Math.signum(end) * (Math.pow(10, Math.abs(end)) - 1))
        .distinct()
        .toList();
  }
}
