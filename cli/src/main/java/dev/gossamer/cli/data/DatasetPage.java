package dev.gossamer.cli.data;

import dev.gossamer.cli.page.BarChart;
import dev.gossamer.cli.page.Page;
import dev.gossamer.cli.page.SvgPlot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// An HTML page about a data set: its facts, and plots of degrees, classes and features. One file
/// without scripts that loads nothing.
///
/// @param facts as `dataset info` prints them
/// @param features their ranges; empty without features
record DatasetPage(DatasetFacts facts, List<FeatureRange> features) {
  private static final int MOST_CLASSES = 60;
  private static final int MOST_FEATURES = 60;
  private static final int WIDTH = SvgPlot.WIDTH;
  private static final int ROW = BarChart.ROW;
  private static final int MARGIN = 50;
  private static final int INSET = 24;

  /// Pixels of a degree's name.
  private static final int LABEL = 50;

  /// The text of the page.
  String html() {
    Page page = new Page(String.valueOf(facts.facts().get("dataset")), "gossamer dataset info");
    List<List<String>> rows = new ArrayList<>();
    facts.facts().forEach((key, value) -> row(rows, key.replace('_', ' '), value));
    page.table(List.of(), rows);
    page.section("Degrees")
        .sentence("Vertices by degree, in steps of a factor of 2; both axes are logarithmic.")
        .figure(degrees());
    if (!facts.classes().isEmpty()) {
      page.section("Classes")
          .sentence("Labelled vertices of each class, the largest first.")
          .figure(classes());
    }
    if (!features.isEmpty()) {
      page.section("Features")
          .sentence(
              "Smallest to largest value (bar) and mean (mark) over all vertices, on an axis of sign(x) log10(1 + |x|)%s."
                  .formatted(
                      features.size() > MOST_FEATURES
                          ? "; the %d of %,d features with the largest values"
                              .formatted(MOST_FEATURES, features.size())
                          : ""))
          .figure(ranges());
    }
    return page.html();
  }

  private static void row(List<List<String>> rows, String name, Object value) {
    if (value instanceof Map<?, ?> several) {
      several.forEach((key, each) -> row(rows, name + ": " + key, each));
    } else {
      rows.add(List.of(name, DatasetFacts.text(value)));
    }
  }

  /// A bar for each bin; one vertex has a bar of some height, too.
  private SvgPlot degrees() {
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
    int every = (int) Math.ceil(LABEL / step);
    for (int i = 0; i < bins.size(); i++) {
      DegreeFacts.Bin bin = bins.get(i);
      double x = MARGIN + 20 + i * step;
      double h = bin.vertices() == 0 ? 0 : scale * (Math.log10((double) bin.vertices()) + 0.3);
      String label =
          bin.from() == bin.to()
              ? "%,d".formatted(bin.from())
              : "%,d to %,d".formatted(bin.from(), bin.to());
      plot.bar(
          "bar",
          x + 2,
          base - h,
          step - 4,
          h,
          "degree %s: %s".formatted(label, counted(bin.vertices())));
      if (i % every == 0) {
        plot.text("middle", x + step / 2, base + 16, "%,d".formatted(bin.from()));
      }
    }
    return plot.text("middle", WIDTH / 2.0, height - 10, "degree, from");
  }

  private static String counted(long vertices) {
    return vertices == 1 ? "1 vertex" : "%,d vertices".formatted(vertices);
  }

  private SvgPlot classes() {
    List<ClassSize> sorted = facts.largestFirst();
    List<BarChart.Bar> bars = new ArrayList<>();
    for (ClassSize size : sorted.subList(0, Math.min(MOST_CLASSES, sorted.size()))) {
      String tip = "%s: %s".formatted(size.name(), counted(size.vertices()));
      bars.add(
          new BarChart.Bar(
              size.name(),
              List.of(new BarChart.Part("bar", size.vertices(), tip)),
              "%,d".formatted(size.vertices())));
    }
    int others = sorted.size() - bars.size();
    if (others > 0) {
      bars.add(new BarChart.Bar("(%,d smaller classes)".formatted(others), List.of(), ""));
    }
    return new BarChart("Vertices by class", List.of(), bars).plot();
  }

  private SvgPlot ranges() {
    List<FeatureRange> shown =
        features.size() <= MOST_FEATURES
            ? features
            : features.stream()
                .sorted(Comparator.comparingDouble(FeatureRange::magnitude).reversed())
                .limit(MOST_FEATURES)
                .toList();
    double least = Math.min(0, shown.stream().mapToDouble(f -> scaled(f.least())).min().orElse(0));
    double most = Math.max(0, shown.stream().mapToDouble(f -> scaled(f.most())).max().orElse(0));
    double scale = (WIDTH - 2.0 * INSET) / Math.max(1e-9, most - least);
    int height = ROW * shown.size();
    SvgPlot plot = new SvgPlot(WIDTH, height + 24, "Ranges of features");
    for (double tick : ticks(least, most)) {
      double x = INSET + scale * (scaled(tick) - least);
      plot.line("axis", x, 0, x, height);
      plot.text("middle", x, height + 16, text(tick));
    }
    for (int i = 0; i < shown.size(); i++) {
      FeatureRange feature = shown.get(i);
      double from = INSET + scale * (scaled(feature.least()) - least);
      double to = INSET + scale * (scaled(feature.most()) - least);
      double mean = INSET + scale * (scaled(feature.mean()) - least);
      int y = ROW * i;
      BarChart.name(plot, y, feature.name());
      plot.bar(
          "bar",
          from,
          y + BarChart.NAME + 2,
          Math.max(1, to - from),
          ROW - BarChart.NAME - 8,
          "%s: %.4g to %.4g, mean %.4g"
              .formatted(feature.name(), feature.least(), feature.most(), feature.mean()));
      plot.line("mark", mean, y + BarChart.NAME, mean, y + ROW - 4);
    }
    return plot;
  }

  /// Four digits, without zeros at the end of those behind the point.
  static String text(double tick) {
    return String.format(Locale.ROOT, "%.4g", tick)
        .replaceFirst("\\.0+(?=e|$)|(?<=\\.[0-9]{1,9})0+(?=e|$)", "");
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
