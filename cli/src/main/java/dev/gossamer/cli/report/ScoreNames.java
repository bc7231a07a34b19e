package dev.gossamer.cli.report;

import dev.gossamer.run.Metric;
import dev.gossamer.run.RunMetrics;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Names of the scores that trainers write.
final class ScoreNames {
  /// The parts of the data that have scores.
  static final List<String> PARTS = List.of("train", "validation", "test");

  private static final Map<String, String> TITLES = titles();

  private ScoreNames() {}

  private static Map<String, String> titles() {
    Map<String, String> titles = new HashMap<>(Map.of("perplexity", "perplexity"));
    for (Metric metric : Metric.values()) {
      titles.put(metric.key(), metric.title());
    }
    return Map.copyOf(titles);
  }

  /// Returns the keys of all scores.
  static Set<String> all() {
    return TITLES.keySet();
  }

  /// Returns what people call a score.
  ///
  /// @param metric its key
  static String title(String metric) {
    return TITLES.getOrDefault(metric, metric);
  }

  /// Returns the keys of the scores that runs have: the loss last, and the accuracy under one of
  /// its names.
  static Set<String> of(List<ReportedRun> runs) {
    Set<String> found = new LinkedHashSet<>();
    for (ReportedRun run : runs) {
      for (RunMetrics.Step step : run.metrics().steps()) {
        step.scores().values().forEach(scores -> found.addAll(scores.keySet()));
      }
    }
    found.retainAll(TITLES.keySet());
    if (found.contains(Metric.ACCURACY.key())) {
      found.remove(Metric.MICRO_F1.key());
    }
    if (found.remove(Metric.LOSS.key())) {
      found.add(Metric.LOSS.key());
    }
    return found;
  }
}
