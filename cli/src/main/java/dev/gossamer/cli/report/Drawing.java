package dev.gossamer.cli.report;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The drawings of reports, whose names are those of files.
enum Drawing {
  LOSS("training-loss", false),
  SECONDS("seconds", false),
  MEMORY("memory", false),
  HIT_RATE("cache-hit-rate", false),
  STALENESS("staleness", false),
  SPARSITY("sparsity", false),
  SURVIVORS("survivors", true),
  CONFUSION("confusion", true),
  CALIBRATION("calibration", true),
  NUMBERS("numbers", true),
  COMPONENTS("vertices-by-components", true),
  NEIGHBOURS("vertices-by-neighbours", true),
  RANKS("ranks", true),
  TIMELINE("timeline", true),
  TRAFFIC("traffic", true);

  private final String chart;

  /// Whether each run of several has one of its own.
  private final boolean ofEachRun;

  Drawing(String chart, boolean ofEachRun) {
    this.chart = chart;
    this.ofEachRun = ofEachRun;
  }

  /// The name on a page about one run, or of the drawing of all runs.
  String chart() {
    return chart;
  }

  /// The name of the drawing of one run of several.
  ///
  /// @param run its number on the page, 1-based
  String chart(int run) {
    return chart + "-" + run;
  }

  /// The name of the drawing of a score.
  ///
  /// @param metric its key
  static String ofScore(String metric) {
    return metric.replace('_', '-');
  }

  /// The names that drawings of any page may have.
  static Set<String> charts() {
    Stream<String> scores = ScoreNames.all().stream().map(Drawing::ofScore);
    return Stream.concat(scores, Arrays.stream(values()).flatMap(Drawing::all))
        .collect(Collectors.toUnmodifiableSet());
  }

  private Stream<String> all() {
    Stream<String> numbered =
        ofEachRun
            ? IntStream.rangeClosed(1, ReportPage.MOST_RUNS).mapToObj(this::chart)
            : Stream.of();
    return Stream.concat(Stream.of(chart), numbered);
  }
}
