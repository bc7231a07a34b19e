package dev.gossamer.cli.terminal;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Maps components of settings to flags. The only place that knows both.
public final class FlagNames {
  /// Flags whose names are not those of their components with hyphens.
  private static final Map<String, String> OTHERS =
      Map.ofEntries(
          Map.entry("batchSize", "--batch"),
          Map.entry("bucketBytes", "--bucket"),
          Map.entry("cacheBytes", "--feature-cache"),
          Map.entry("delay", "--push-delay"),
          Map.entry("downCast", "--downcast"),
          Map.entry("fanouts", "--fanout"),
          Map.entry("historical", "--remote"),
          Map.entry("learningRate", "--lr"),
          Map.entry("life", "--cache-life"),
          Map.entry("lines", "--cache-lines"),
          Map.entry("minLearningRate", "--min-lr"),
          Map.entry("neighbours", "--fanout"),
          Map.entry("products", "--compute"),
          Map.entry("rate", "--lr"),
          Map.entry("stages", "--inter"),
          Map.entry("testFanouts", "--test-fanout"),
          Map.entry("vertexFeatures", "--features"),
          Map.entry("vertexLabels", "--labels"));

  /// Components without a flag, which only programs set.
  static final Set<String> WITHOUT_FLAG =
      Set.of(
          "at",
          "bandwidth",
          "classNames",
          "coresPerNode",
          "deviation",
          "edgeFeatureWidth",
          "edgeFeatures",
          "edges",
          "every",
          "featureWidth",
          "labels",
          "latency",
          "mean",
          "memoryLimit",
          "memoryPerNode",
          "name",
          "nodes",
          "objective",
          "occurrences",
          "one",
          "outputBytes",
          "points",
          "ranksPerNode",
          "source",
          "tables",
          "targets",
          "times",
          "values",
          "weights");

  private FlagNames() {}

  /// Returns the flag of a component: `--evaluate-every` for `evaluateEvery`. Returns the component
  /// itself if it has no flag.
  public static String of(String component) {
    if (WITHOUT_FLAG.contains(component)) {
      return component;
    }
    String other = OTHERS.get(component);
    return other == null
        ? "--" + component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT)
        : other;
  }
}
