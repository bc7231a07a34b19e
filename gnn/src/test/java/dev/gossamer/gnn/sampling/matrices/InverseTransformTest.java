package dev.gossamer.gnn.sampling.matrices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.ChiSquare;
import dev.gossamer.gnn.sampling.SmallGraph;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.Frontier;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InverseTransformTest {
  private static final int TIMES = 40_000;

  /// How many standard errors a mean may be off: exceeded with probability 6e-7.
  private static final double ERRORS = 5;

  private static Draws draws(int number) {
    Draws draws = new Draws(11, Purpose.LAYER, 0, 0);
    draws.at(0, number);
    return draws;
  }

  @Test
  void theExampleOfThePaperHasItsProbabilities() {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      AdjacencyRows a = AdjacencyRows.whole(SmallGraph.ofThePaper());
      Frontier q = new Frontier(new BatchNumbers(0, 1), List.of(new int[] {1, 5}));
      CsrMatrix p = a.select(arena, q.stacked()).columnSquares(arena, q.starts(), workers);
      assertThat(p.toDense()).isDeepEqualTo(new float[][] {{1, 0, 1, 1, 2, 0}});
      WeightedRow row = new WeightedRow();
      row.fill(p, 0, (vertex, value) -> value * value);
      double[] probabilities = new double[6];
      for (int k = 0; k < row.count(); k++) {
        probabilities[row.vertex(k)] = row.weight(k) / row.mass();
      }
      assertThat(probabilities).containsExactly(1.0 / 7, 0, 1.0 / 7, 1.0 / 7, 4.0 / 7, 0);
    }
  }

  @ParameterizedTest
  @CsvSource({"6, 1", "6, 3", "6, 5", "7, 4"})
  void uniformSubsetsAreAllAlike(int degree, int s) {
    Map<String, Double> expected = new HashMap<>();
    for (int set = 0; set < 1 << degree; set++) {
      if (Integer.bitCount(set) == s) {
        expected.put(name(set), 1.0);
      }
    }
    double sets = expected.size();
    expected.replaceAll((set, one) -> one / sets);
    Map<String, Integer> counts = new HashMap<>();
    for (int time = 0; time < TIMES; time++) {
      int[] to = new int[s + 1];
      InverseTransform.uniform(degree, s, draws(time), to, 1);
      int[] positions = Arrays.copyOfRange(to, 1, s + 1);
      assertThat(positions).isSorted().doesNotHaveDuplicates();
      counts.merge(name(set(positions)), 1, Integer::sum);
    }
    ChiSquare.requireDrawnFrom(expected, counts);
  }

  @Test
  void largeFanoutsAndWholeRows() {
    int[] to = new int[1000];
    InverseTransform.uniform(1000, 1000, draws(0), to, 0);
    assertThat(to).startsWith(0, 1, 2).endsWith(998, 999);
    int[] some = new int[700];
    InverseTransform.uniform(1000, 700, draws(1), some, 0);
    assertThat(some).isSorted().doesNotHaveDuplicates();
    assertThat(some[0]).isNotNegative();
    assertThat(some[699]).isLessThan(1000);
  }

  /// One draw after the other: `{a, b}` has the probability `p_a p_b / (1 - p_a) + p_b p_a / (1 -
  /// p_b)`. With the second line most numbers find what is taken, so that the rest is summed anew.
  @ParameterizedTest
  @CsvSource({"4 1 1 1 0 2", "60 4 1 0 1 9"})
  void pairsAreDrawnOneAfterTheOther(String numbers) {
    double[] weights = Arrays.stream(numbers.split(" ")).mapToDouble(Double::parseDouble).toArray();
    double mass = Arrays.stream(weights).sum();
    Map<String, Double> expected = new HashMap<>();
    for (int a = 0; a < weights.length; a++) {
      for (int b = 0; b < weights.length; b++) {
        if (a != b && weights[a] * weights[b] > 0) {
          double ordered = weights[a] / mass * weights[b] / (mass - weights[a]);
          expected.merge(name(1 << a | 1 << b), ordered, Double::sum);
        }
      }
    }
    WeightedRow row = new WeightedRow(weights);
    InverseTransform transform = new InverseTransform();
    Map<String, Integer> counts = new HashMap<>();
    for (int time = 0; time < TIMES; time++) {
      int[] vertices = transform.distinct(row, 2, draws(time)).vertices();
      assertThat(vertices).hasSize(2).isSorted();
      counts.merge(name(set(vertices)), 1, Integer::sum);
    }
    ChiSquare.requireDrawnFrom(expected, counts);
  }

  /// The weight of a candidate, 0 where it is not drawn, has the mean 1. That of sampling with
  /// replacement, `1 / (s p_v)`, does not: the test can tell them apart.
  @ParameterizedTest
  @CsvSource({"8 4 2 1 1, 2", "8 4 2 1 1, 4", "100 3 2 1 5 9 0 4, 3", "1 1 1 1 1 1, 2"})
  void weightsAreInverseProbabilities(String numbers, int s) {
    double[] weights = Arrays.stream(numbers.split(" ")).mapToDouble(Double::parseDouble).toArray();
    double mass = Arrays.stream(weights).sum();
    WeightedRow row = new WeightedRow(weights);
    InverseTransform transform = new InverseTransform();
    double[][] drawn = new double[weights.length][TIMES];
    double[] naive = new double[TIMES];
    for (int time = 0; time < TIMES; time++) {
      Drawn sample = transform.distinct(row, s, draws(time));
      for (int k = 0; k < s; k++) {
        int v = sample.vertices()[k];
        drawn[v][time] = sample.weight(k);
        naive[time] += v == 0 ? mass / (s * weights[0]) : 0;
      }
    }
    for (int v = 0; v < weights.length; v++) {
      double[] mean = ChiSquare.mean(drawn[v]);
      assertThat(mean[0]).isCloseTo(weights[v] > 0 ? 1 : 0, within(ERRORS * mean[1]));
    }
    double[] mean = ChiSquare.mean(naive);
    boolean uniform = Arrays.stream(weights).distinct().count() == 1;
    assertThat(Math.abs(mean[0] - 1) > ERRORS * mean[1]).isEqualTo(!uniform);
  }

  @Test
  void whatIsTakenWholeHasWeightOne() {
    Drawn drawn =
        new InverseTransform().distinct(new WeightedRow(new double[] {5, 0, 1}), 2, draws(0));
    assertThat(drawn.vertices()).containsExactly(0, 2);
    assertThat(drawn.weight(0)).isEqualTo(1f);
    assertThat(drawn.weight(1)).isEqualTo(1f);
  }

  @Test
  void weightsOfVeryDifferentSizesAreAllFound() {
    double[] weights = {1e-12, 1, 1e12, 0, 1e-6, 1e6};
    Drawn drawn = new InverseTransform().distinct(new WeightedRow(weights), 4, draws(3));
    assertThat(drawn.vertices()).hasSize(4).doesNotContain(3).contains(1, 2, 5);
    for (int k = 0; k < 4; k++) {
      assertThat(drawn.weight(k)).isGreaterThanOrEqualTo(1f).isFinite();
    }
  }

  @Test
  void repeatedDrawsFollowTheWeights() {
    WeightedRow row = new WeightedRow(new double[] {3, 0, 1, 4});
    Map<String, Integer> counts = new HashMap<>();
    for (int time = 0; time < TIMES; time++) {
      counts.merge(name(set(InverseTransform.repeated(row, 1, draws(time)))), 1, Integer::sum);
    }
    ChiSquare.requireDrawnFrom(Map.of(name(1), 0.375, name(4), 0.125, name(8), 0.5), counts);
    assertThat(InverseTransform.repeated(row, 1000, draws(1))).containsExactly(0, 2, 3);
  }

  private static int set(int[] elements) {
    return Arrays.stream(elements).map(v -> 1 << v).reduce(0, (x, y) -> x | y);
  }

  private static String name(int set) {
    return Integer.toBinaryString(set);
  }
}
