package dev.gossamer.partition.initial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.partition.RandomLevel;
import dev.gossamer.partition.level.PartLoads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Bisections against cuts and loads that are counted naively.
class BisectionTest {
  private static int[] bisected(RandomLevel level, long[][] caps, double share, int threads) {
    try (Workers workers = new Workers(threads)) {
      return new Bisection(caps, share, 3, workers).best(level.graph());
    }
  }

  /// Caps of two sides of which the first has a share, a little above it.
  private static long[][] caps(RandomLevel level, double share, double epsilon) {
    long[][] caps = new long[level.graph().constraints()][2];
    for (int c = 0; c < caps.length; c++) {
      double total = (double) level.graph().totalLoad(c);
      caps[c][0] = (long) Math.ceil((1 + epsilon) * total * share);
      caps[c][1] = (long) Math.ceil((1 + epsilon) * total * (1 - share));
    }
    return caps;
  }

  /// Graphs that are coarsened first, and such that are not.
  @ParameterizedTest
  @CsvSource({
    "20, 40, 0.5, 1", "100, 400, 0.5, 1", "100, 400, 0.75, 2",
    "400, 1200, 0.5, 1", "400, 1200, 0.667, 2", "700, 2000, 0.5, 3"
  })
  void bothSidesKeepTheirCapsAndTheCutIsBelowThatOfRandomSides(
      int vertices, int edges, double share, int quantities) {
    Random random = new Random(vertices + quantities);
    try (RandomLevel level = RandomLevel.of(random, vertices, edges, quantities)) {
      long[][] caps = caps(level, share, 0.05);
      int[] side = bisected(level, caps, share, 1);
      assertThat(side).hasSize(vertices).containsOnly(0, 1);
      assertThat(level.overload(side, caps)).isZero();
      int[] drawn = random.doubles(vertices).mapToInt(x -> x < share ? 0 : 1).toArray();
      assertThat(level.cut(side)).isPositive().isLessThan(level.cut(drawn));
      assertThat(bisected(level, caps, share, 3)).isEqualTo(side);
    }
  }

  /// The only way to cut two cliques apart that costs one light edge.
  @ParameterizedTest
  @ValueSource(ints = {6, 45, 90})
  void theLightestCutOfTwoCliquesIsFound(int size) {
    List<int[]> edges = new ArrayList<>();
    for (int v = 0; v < 2 * size; v++) {
      for (int u = v % 2; u < v; u += 2) {
        edges.add(new int[] {v, u, 7});
      }
    }
    edges.add(new int[] {0, 1, 3});
    try (RandomLevel level = RandomLevel.ofEdges(2 * size, edges.toArray(int[][]::new))) {
      int[] side = bisected(level, caps(level, 0.5, 0.02), 0.5, 1);
      assertThat(level.cut(side)).isEqualTo(3);
      for (int v = 2; v < side.length; v++) {
        assertThat(side[v]).isEqualTo(side[v % 2]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void graphsOfAFewVerticesAreCut(int vertices) {
    try (RandomLevel level = RandomLevel.ofEdges(vertices)) {
      long[][] caps = {PartLoads.equalCaps(vertices, 2, 0)};
      int[] side = bisected(level, caps, 0.5, 1);
      assertThat(level.overload(side, caps)).isZero();
    }
  }

  @Test
  void theGainOfAMoveIsWhatTheCutFallsBy() {
    Random random = new Random(8);
    try (RandomLevel level = RandomLevel.of(random, 60, 250, 1)) {
      int[] side = random.ints(60, 0, 2).toArray();
      for (int v = 0; v < 60; v++) {
        long before = level.cut(side);
        long gain = TwoWaySearch.gain(level.graph(), side, v);
        side[v] ^= 1;
        assertThat(before - level.cut(side)).isEqualTo(gain);
      }
    }
  }

  /// From sides that are balanced, a little unbalanced, and all one.
  @ParameterizedTest
  @CsvSource({"0.5, 1, 1", "0.5, 2, 4", "0.6, 1, 4", "0.8, 3, 6", "1, 2, 6"})
  void aSearchEndsNoWorseThanItBegan(double filled, int quantities, int passes) {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      int vertices = 20 + random.nextInt(200);
      try (RandomLevel level = RandomLevel.of(random, vertices, 4 * vertices, quantities)) {
        long[][] caps = caps(level, 0.5, 0.03);
        int[] side = random.doubles(vertices).mapToInt(x -> x < filled ? 0 : 1).toArray();
        double overload = level.overload(side, caps);
        long cut = level.cut(side);
        PartLoads loads = new PartLoads(caps);
        assertThat(new TwoWaySearch(level.graph(), side, loads).run(passes))
            .as("seed %d", seed)
            .isEqualTo(level.cut(side));
        assertThat(Arrays.stream(side).allMatch(s -> s == 0 || s == 1)).isTrue();
        double left = level.overload(side, caps);
        assertThat(left).as("seed %d", seed).isLessThanOrEqualTo(overload + 1e-9);
        if (overload == 0) {
          assertThat(level.cut(side)).as("seed %d", seed).isLessThanOrEqualTo(cut);
        }
        if (quantities == 1) {
          assertThat(left).as("seed %d", seed).isZero();
        }
        long[][] counted = level.loads(side, 2);
        for (int c = 0; c < quantities; c++) {
          long[] kept = {loads.load(c, 0), loads.load(c, 1)};
          assertThat(kept).isEqualTo(counted[c]);
        }
      }
    }
  }

  /// Two vertices hold each other: either loses if it moves alone, and both gain if both move. The
  /// side that they are on is full.
  @Test
  void aSearchGoesThroughALoss() {
    try (RandomLevel level =
        RandomLevel.ofEdges(
            6,
            new int[] {0, 1, 10},
            new int[] {0, 2, 6},
            new int[] {1, 3, 6},
            new int[] {2, 4, 20},
            new int[] {3, 5, 20})) {
      int[] side = {0, 0, 1, 1, 1, 1};
      for (int v = 0; v < side.length; v++) {
        assertThat(TwoWaySearch.gain(level.graph(), side, v)).isNegative();
      }
      PartLoads loads = new PartLoads(new long[][] {{2, 6}});
      assertThat(new TwoWaySearch(level.graph(), side, loads).run(1)).isZero();
      assertThat(side).containsOnly(1);
    }
  }
}
