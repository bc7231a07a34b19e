package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;

/// Pearson's test that counts were drawn from a distribution.
public final class ChiSquare {
  /// Of the standard normal distribution, exceeded with probability 1e-6.
  private static final double QUANTILE = 4.7534;

  private ChiSquare() {}

  /// @param expected probability of each outcome, all that there are
  public static <T> void requireDrawnFrom(Map<T, Double> expected, Map<T, Integer> counts) {
    assertThat(expected.keySet()).containsAll(counts.keySet());
    double total = counts.values().stream().mapToInt(Integer::intValue).sum();
    double statistic = 0;
    for (Map.Entry<T, Double> outcome : expected.entrySet()) {
      double mean = total * outcome.getValue();
      // The usual condition for the test.
      assertThat(mean).isGreaterThan(5);
      double difference = counts.getOrDefault(outcome.getKey(), 0) - mean;
      statistic += difference * difference / mean;
    }
    assertThat(statistic).isLessThan(critical(expected.size() - 1));
  }

  /// E. Wilson and M. Hilferty, 1931: the cube root of a chi-square variable over its degrees of
  /// freedom is nearly normal.
  private static double critical(int freedom) {
    double ninth = 2.0 / (9.0 * freedom);
    return freedom * Math.pow(1 - ninth + QUANTILE * Math.sqrt(ninth), 3);
  }

  /// Mean and standard error of the mean of some samples.
  public static double[] mean(double[] samples) {
    double mean = Arrays.stream(samples).average().orElseThrow();
    double squares = Arrays.stream(samples).map(x -> (x - mean) * (x - mean)).sum();
    return new double[] {mean, Math.sqrt(squares / (samples.length - 1.0) / samples.length)};
  }
}
