package dev.gossamer.nn.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ParameterDrawsTest {
  private static final int COUNT = 6000;
  private static final int LAGS = 1000;

  /// Names that differ in one character, in their length, and not at all but for the seed.
  private static final List<String> NAMES =
      List.of("layers.0.self_weight", "layers.0.neighbour_weight", "layers.1.self_weight", "a", "");

  private static List<double[]> draws(ToDoubleFunction<RandomGenerator> draw) {
    List<double[]> all = new ArrayList<>();
    for (long seed : new long[] {1, 2, 1L << 32}) {
      for (String name : NAMES) {
        RandomGenerator random = ParameterDraws.of(seed, name);
        double[] values = new double[COUNT];
        for (int i = 0; i < COUNT; i++) {
          values[i] = draw.applyAsDouble(random);
        }
        all.add(values);
      }
    }
    return all;
  }

  /// Of so many products of independent draws with variance 1 the mean has the deviation
  /// `1/sqrt(n)`; six of them are passed once in 5e8 comparisons, of which there are 2e5 here.
  @Test
  void noLagCorrelatesTwoParametersOrOneWithItself() {
    List<double[]> all = draws(random -> (2 * random.nextDouble() - 1) * Math.sqrt(3));
    for (int f = 0; f < all.size(); f++) {
      double[] first = all.get(f);
      for (int s = 0; s < all.size(); s++) {
        double[] second = all.get(s);
        for (int lag = s == f ? 1 : 0; lag <= LAGS; lag++) {
          int count = COUNT - lag;
          double sum = 0;
          for (int i = 0; i < count; i++) {
            sum += first[i] * second[i + lag];
          }
          assertThat(sum / count).isCloseTo(0, within(6 / Math.sqrt(count)));
        }
      }
    }
  }

  @Test
  void uniformDrawsHaveTheMomentsAndTenthsOfTheirDistribution() {
    for (double[] values : draws(RandomGenerator::nextDouble)) {
      assertMean(values, 0.5, Math.sqrt(1.0 / 12));
      // The fourth central moment is 1/80.
      assertMean(squares(values, 0.5), 1.0 / 12, Math.sqrt(1.0 / 80 - 1.0 / 144));
      int[] tenths = new int[10];
      for (double value : values) {
        tenths[(int) (10 * value)]++;
      }
      for (int count : tenths) {
        assertThat(count).isCloseTo(COUNT / 10, within((int) (6 * Math.sqrt(COUNT * 0.1 * 0.9))));
      }
    }
  }

  @Test
  void normalDrawsHaveTheMomentsAndTailsOfTheirDistribution() {
    for (double[] values : draws(RandomGenerator::nextGaussian)) {
      assertMean(values, 0, 1);
      assertMean(squares(values, 0), 1, Math.sqrt(2));
      int beyondTwo = 0;
      for (double value : values) {
        beyondTwo += Math.abs(value) > 2 ? 1 : 0;
      }
      double expected = 0.0455;
      double deviation = Math.sqrt(expected * (1 - expected) / COUNT);
      assertThat((double) beyondTwo / COUNT).isCloseTo(expected, within(6 * deviation));
    }
  }

  @Test
  void tenThousandNamesBeginDifferently() {
    Set<Long> first = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      first.add(ParameterDraws.of(1, "blocks." + i + ".weight").nextLong());
    }
    assertThat(first).hasSize(10_000);
  }

  private static void assertMean(double[] values, double expected, double deviation) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    assertThat(sum / values.length)
        .isCloseTo(expected, within(6 * deviation / Math.sqrt(values.length)));
  }

  private static double[] squares(double[] values, double mean) {
    double[] squares = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      squares[i] = (values[i] - mean) * (values[i] - mean);
    }
    return squares;
  }
}
