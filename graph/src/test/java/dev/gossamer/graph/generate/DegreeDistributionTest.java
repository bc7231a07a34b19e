package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DegreeDistributionTest {
  private static int sum(DegreeDistribution degrees) {
    int sum = 0;
    for (int degree = 0; degree <= degrees.max(); degree++) {
      sum += degrees.count(degree);
    }
    return sum;
  }

  @ParameterizedTest
  @CsvSource({"1000, 2, 1, 100", "999, 2.5, 3, 998", "10, 3, 1, 1", "100000, 1, 2, 50"})
  void aPowerLawHasItsSharesRounded(int n, double exponent, int least, int most) {
    DegreeDistribution degrees = DegreeDistribution.powerLaw(n, exponent, least, most);
    double total = 0;
    for (int degree = least; degree <= most; degree++) {
      total += 1 / Math.pow(degree, exponent);
    }
    for (int degree = 0; degree <= most + 1; degree++) {
      double share = degree < least || degree > most ? 0 : 1 / Math.pow(degree, exponent) / total;
      assertThat((double) degrees.count(degree)).isBetween(n * share - 1, n * share + 1);
    }
    assertThat(sum(degrees)).isEqualTo(n);
    assertThat(degrees.vertices()).isEqualTo(n);
  }

  @Test
  void halfOfALogNormalLiesBelowItsMedian() {
    DegreeDistribution degrees = DegreeDistribution.logNormal(100_000, 20, 0.8, 5000);
    int below = 0;
    for (int degree = 1; degree <= 20; degree++) {
      below += degrees.count(degree);
    }
    // The degree 20 lies half on either side: density 1 / (20 * 0.8 * 2.507) = 2.5 %.
    assertThat(below / 100_000.0).isBetween(0.49, 0.535);
    // Mean of the continuous distribution: median exp(sigma^2 / 2).
    assertThat(degrees.mean()).isBetween(20 * Math.exp(0.32) - 0.5, 20 * Math.exp(0.32) + 0.5);
    assertThat(sum(degrees)).isEqualTo(100_000);
  }

  @Test
  void scalingMultipliesDegreesAndStopsAtAllOthers() {
    DegreeDistribution degrees = DegreeDistribution.ofCounts(new int[] {2, 3, 4, 0, 1});
    DegreeDistribution twice = degrees.scaledBy(2);
    assertThat(twice).isEqualTo(DegreeDistribution.ofCounts(new int[] {2, 0, 3, 0, 4, 0, 0, 0, 1}));
    assertThat(twice.mean()).isEqualTo(2 * degrees.mean());
    assertThat(degrees.scaledBy(100))
        .isEqualTo(DegreeDistribution.ofCounts(new int[] {2, 0, 0, 0, 0, 0, 0, 0, 0, 8}));
    assertThat(degrees.scaledBy(0.1)).isEqualTo(DegreeDistribution.ofCounts(new int[] {2, 8}));
    assertThat(degrees).isNotEqualTo(twice).hasSameHashCodeAs(degrees.scaledBy(1));
  }

  @Test
  void whatTheLargestCannotHaveGoesToTheOthers() {
    DegreeDistribution degrees = DegreeDistribution.powerLaw(1000, 2, 2, 200);
    DegreeDistribution scaled = degrees.scaledBy(20);
    assertThat(scaled.max()).isEqualTo(999);
    assertThat(degrees.times(20).sum()).isLessThan((long) (19.5 * (double) degrees.sum()));
    assertThat(scaled.sum()).isBetween((long) (19.9 * (double) degrees.sum()), 20 * degrees.sum());
    assertThat(scaled.count(999)).isGreaterThanOrEqualTo(degrees.times(20).count(999));
  }

  @Test
  void theDegreesOfAGraphAreItsRowLengths() {
    try (GraphData d = Grid.of(3, 3).withPlanted(Planted.DEFAULT.withFeatures(0)).build()) {
      DegreeDistribution degrees = DegreeDistribution.of(d.adjacency());
      assertThat(degrees).isEqualTo(DegreeDistribution.ofCounts(new int[] {0, 0, 4, 4, 1}));
      assertThat(degrees.max()).isEqualTo(4);
      assertThat(degrees).hasToString("9 vertices of mean degree 2.667, at most 4");
    }
  }

  @Test
  void impossibleDegreesAreRefused() {
    assertThatThrownBy(() -> DegreeDistribution.ofCounts(new int[] {0, 0, 2}))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("degrees: expected at most 1, one less than vertices, found 2");
    assertThatThrownBy(() -> DegreeDistribution.ofCounts(new int[] {3, -1}))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("counts: expected at least 0 of degree 1, found -1");
    assertThatThrownBy(() -> DegreeDistribution.powerLaw(10, 2, 1, 10))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("maxDegree: expected 1 to 9, found 10");
  }
}
