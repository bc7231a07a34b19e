package dev.gossamer.cli;

import java.util.Locale;
import java.util.Map;

/// What the command line calls the components of settings. The only place that knows both.
final class FlagNames {
  /// Flags whose names are not those of their components with hyphens.
  private static final Map<String, String> OTHERS =
      Map.ofEntries(
          Map.entry("batchSize", "--batch"),
          Map.entry("bucketBytes", "--bucket"),
          Map.entry("cacheBytes", "--feature-cache"),
          Map.entry("fanouts", "--fanout"),
          Map.entry("historical", "--remote"),
          Map.entry("learningRate", "--lr"),
          Map.entry("minLearningRate", "--min-lr"),
          Map.entry("neighbours", "--fanout"),
          Map.entry("rate", "--lr"),
          Map.entry("stages", "--inter"),
          Map.entry("testFanouts", "--test-fanout"));

  private FlagNames() {}

  /// The flag of a component: `evaluateEvery` is `--evaluate-every`.
  static String of(String component) {
    String other = OTHERS.get(component);
    return other == null
        ? "--" + component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT)
        : other;
  }
}
