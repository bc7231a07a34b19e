package dev.gossamer.partition.refine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.partition.RandomLevel;
import dev.gossamer.partition.level.PartLoads;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Balances against loads that are counted from the partition.
class RebalancingTest {
  /// Mostly in the first parts.
  private static int[] skewed(Random random, int vertices, int k) {
    return random.doubles(vertices).mapToInt(x -> (int) (k * x * x * x)).toArray();
  }

  private static void assertCounted(RandomLevel level, Gains gains, int k) {
    long[][] counted = level.loads(gains.parts(), k);
    for (int c = 0; c < counted.length; c++) {
      for (int p = 0; p < k; p++) {
        assertThat(gains.loads().load(c, p)).isEqualTo(counted[c][p]);
      }
    }
  }

  /// With loads of 1, whatever is too much in one part has room in another.
  @ParameterizedTest
  @CsvSource({"50, 100, 2, 0", "300, 900, 7, 0.03", "300, 900, 16, 0", "500, 100, 5, 0.1"})
  void loadsOfOneAreAlwaysBalanced(int vertices, int edges, int k, double epsilon) {
    for (int seed = 0; seed < 5; seed++) {
      Random random = new Random(seed);
      try (RandomLevel level = RandomLevel.of(random, vertices, edges, 1)) {
        long[][] caps = level.caps(k, epsilon);
        int[] part = skewed(random, vertices, k);
        assertThat(level.overload(part, caps)).isPositive();
        CutGains gains = new CutGains(level.graph(), part, new PartLoads(caps));
        assertThat(new Rebalancing(gains, () -> {}).settle()).as("seed %d", seed).isTrue();
        assertThat(Arrays.stream(part).allMatch(p -> p >= 0 && p < k)).isTrue();
        assertThat(level.overload(part, caps)).isZero();
        assertThat(gains.cut()).isEqualTo(level.cut(part));
        assertCounted(level, gains, k);
      }
    }
  }

  /// Several loads at once may leave no way: then less is too much than before, and it says so.
  @ParameterizedTest
  @CsvSource({"120, 400, 3, 2, 0.05", "200, 800, 6, 3, 0.02", "30, 60, 4, 3, 0"})
  void whatIsTooMuchBecomesLessAndTheAnswerIsTrue(
      int vertices, int edges, int k, int quantities, double epsilon) {
    int balanced = 0;
    for (int seed = 0; seed < 10; seed++) {
      Random random = new Random(seed);
      try (RandomLevel level = RandomLevel.of(random, vertices, edges, quantities)) {
        long[][] caps = level.caps(k, epsilon);
        int[] part = skewed(random, vertices, k);
        double before = level.overload(part, caps);
        CutGains gains = new CutGains(level.graph(), part, new PartLoads(caps));
        boolean settled = new Rebalancing(gains, () -> {}).settle();
        double after = level.overload(part, caps);
        assertThat(settled).as("seed %d", seed).isEqualTo(after == 0);
        assertThat(after).as("seed %d", seed).isLessThan(before);
        assertThat(Arrays.stream(part).allMatch(p -> p >= 0 && p < k)).isTrue();
        assertCounted(level, gains, k);
        balanced += settled ? 1 : 0;
      }
    }
    assertThat(balanced).isPositive();
  }

  @Test
  void volumesAreKeptWhileVerticesMove() {
    Random random = new Random(4);
    int k = 6;
    try (RandomLevel level = RandomLevel.of(random, 250, 900, 1)) {
      long[][] caps = level.caps(k, 0.03);
      int[] part = skewed(random, 250, k);
      try (VolumeGains gains = new VolumeGains(level.graph(), part, new PartLoads(caps))) {
        assertThat(new Rebalancing(gains, () -> {}).settle()).isTrue();
        assertThat(level.overload(part, caps)).isZero();
        assertThat(Arrays.stream(gains.send()).sum()).isEqualTo(level.volume(part));
      }
    }
  }

  @Test
  void aBalancedPartitionStaysAsItIs() {
    Random random = new Random(1);
    try (RandomLevel level = RandomLevel.of(random, 200, 600, 1)) {
      int[] part = level.even(random, 5);
      int[] before = part.clone();
      CutGains gains = new CutGains(level.graph(), part, new PartLoads(level.caps(5, 0)));
      Rebalancing rebalancing = new Rebalancing(gains, () -> {});
      assertThat(rebalancing.settle()).isTrue();
      assertThat(rebalancing.relieve()).isTrue();
      assertThat(part).isEqualTo(before);
    }
  }

  /// One of four vertices is to go: one of the two whose edges lie elsewhere already.
  @Test
  void whatLosesLeastMoves() {
    try (RandomLevel level =
        RandomLevel.ofEdges(
            6, new int[] {0, 1, 50_000}, new int[] {2, 4, 9_000}, new int[] {3, 5, 9_000})) {
      int[] part = {0, 0, 0, 0, 1, 1};
      CutGains gains = new CutGains(level.graph(), part, new PartLoads(level.caps(2, 0)));
      assertThat(new Rebalancing(gains, () -> {}).relieve()).isTrue();
      assertThat(part).containsExactly(0, 0, 1, 0, 1, 1);
    }
  }

  /// A part that may have nothing is emptied; two such parts cannot be.
  @Test
  void whatCannotBeBalancedIsSaid() {
    try (RandomLevel level = RandomLevel.ofEdges(3, new int[] {0, 1, 1})) {
      int[] part = {0, 1, 1};
      long[][] caps = {{0, 3}};
      PartLoads loads = new PartLoads(caps);
      CutGains gains = new CutGains(level.graph(), part, loads);
      assertThat(new Rebalancing(gains, () -> {}).settle()).isTrue();
      assertThat(part).containsExactly(1, 1, 1);
      long[][] none = {{0, 0}};
      CutGains stuck = new CutGains(level.graph(), part, new PartLoads(none));
      assertThat(new Rebalancing(stuck, () -> {}).settle()).isFalse();
      assertCounted(level, stuck, 2);
    }
  }
}
