package dev.gossamer.cli;

import java.util.Locale;
import java.util.Map;

/// What the command line calls the components of settings. The only place that knows both.
final class FlagNames {
  /// Flags whose names are not those of their components with hyphens.
  private static final Map<String, String> OTHERS =
      Map.of(
          "learningRate", "--lr",
          "rate", "--lr",
          "batchSize", "--batch",
          "cacheBytes", "--feature-cache",
          "testFanouts", "--test-fanout",
          "fanouts", "--fanout",
          "featureScaling", "--feature-scaling",
          "stages", "--inter",
          "minLearningRate", "--min-lr",
          "bucketBytes", "--bucket");

  private FlagNames() {}

  /// The flag of a component: `evaluateEvery` is `--evaluate-every`.
  static String of(String component) {
    String other = OTHERS.get(component);
    return other == null
        ? "--" + component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT)
        : other;
  }
}
