package dev.gossamer.partition.refine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.partition.RandomLevel;
import dev.gossamer.partition.level.PartLoads;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What searches say that they gained against objectives that are counted from the partition.
class LocalSearchTest {
  private static final int PASSES = 3;

  private static void assertKept(RandomLevel level, Gains gains, long[][] caps) {
    assertThat(level.overload(gains.parts(), caps)).isZero();
    long[][] counted = level.loads(gains.parts(), caps[0].length);
    for (int c = 0; c < caps.length; c++) {
      for (int p = 0; p < caps[c].length; p++) {
        assertThat(gains.loads().load(c, p)).isEqualTo(counted[c][p]);
      }
    }
  }

  /// With little patience most moves are taken back.
  @ParameterizedTest
  @CsvSource({"2, 1", "2, 100", "5, 3", "5, 100", "20, 10"})
  void theCutFallsByWhatIsGained(int k, int patience) {
    for (int seed = 0; seed < 5; seed++) {
      Random random = new Random(seed);
      try (RandomLevel level = RandomLevel.of(random, 200, 600, 1)) {
        long[][] caps = level.caps(k, 0.1);
        int[] part = level.even(random, k);
        CutGains gains = new CutGains(level.graph(), part, new PartLoads(caps));
        LocalSearch search = new LocalSearch(gains, patience, seed);
        long all = 0;
        for (int pass = 0; pass < PASSES; pass++) {
          long before = level.cut(part);
          long gained = search.pass(pass);
          assertThat(gained).as("seed %d", seed).isNotNegative();
          assertThat(before - level.cut(part)).as("seed %d", seed).isEqualTo(gained);
          assertKept(level, gains, caps);
          all += gained;
        }
        assertThat(all).isPositive();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 100", "5, 3", "20, 100"})
  void theVolumeFallsByWhatIsGained(int k, int patience) {
    for (int seed = 0; seed < 5; seed++) {
      Random random = new Random(seed);
      try (RandomLevel level = RandomLevel.of(random, 200, 600, 2)) {
        long[][] caps = level.caps(k, 1);
        int[] part = level.even(random, k);
        assertThat(level.overload(part, caps)).isZero();
        try (VolumeGains gains = new VolumeGains(level.graph(), part, new PartLoads(caps))) {
          LocalSearch search = new LocalSearch(gains, patience, seed);
          long all = 0;
          for (int pass = 0; pass < PASSES; pass++) {
            long before = level.volume(part);
            long gained = search.pass(pass);
            assertThat(gained).as("seed %d", seed).isNotNegative();
            assertThat(VolumeGains.UNIT * (before - level.volume(part)))
                .as("seed %d", seed)
                .isEqualTo(gained);
            assertThat(Arrays.stream(gains.send()).sum()).isEqualTo(level.volume(part));
            assertKept(level, gains, caps);
            all += gained;
          }
          assertThat(all).isPositive();
        }
      }
    }
  }

  @Test
  void theSameSeedMakesTheSameMoves() {
    int[][] parts = new int[3][];
    for (int i = 0; i < parts.length; i++) {
      Random random = new Random(6);
      try (RandomLevel level = RandomLevel.of(random, 300, 900, 1)) {
        parts[i] = level.even(random, 4);
        PartLoads loads = new PartLoads(level.caps(4, 0.05));
        new LocalSearch(new CutGains(level.graph(), parts[i], loads), 100, i / 2).pass(0);
      }
    }
    assertThat(parts[1]).isEqualTo(parts[0]);
    assertThat(parts[2]).isNotEqualTo(parts[0]);
  }

  /// Two vertices hold each other: either loses if it moves alone, and both gain if both move. The
  /// part that they are in is full.
  @Test
  void aSearchGoesThroughALoss() {
    try (RandomLevel level =
            RandomLevel.ofEdges(4, new int[] {0, 1, 10}, new int[] {0, 2, 6}, new int[] {1, 3, 6});
        Workers workers = new Workers(1)) {
      int[] part = {0, 0, 1, 1};
      CutGains gains = new CutGains(level.graph(), part, new PartLoads(new long[][] {{2, 4}}));
      assertThat(new LabelPropagation(gains, 1, workers).round(0, () -> {})).isZero();
      assertThat(new LocalSearch(gains, 100, 1).pass(0)).isEqualTo(12);
      assertThat(level.cut(part)).isZero();
    }
  }

  /// The way through the loss is one move longer than patience lasts.
  @Test
  void whatGainsNothingIsTakenBack() {
    try (RandomLevel level =
        RandomLevel.ofEdges(4, new int[] {0, 1, 10}, new int[] {0, 2, 6}, new int[] {1, 3, 6})) {
      int[] part = {0, 0, 1, 1};
      CutGains gains = new CutGains(level.graph(), part, new PartLoads(new long[][] {{2, 4}}));
      assertThat(new LocalSearch(gains, 1, 1).pass(0)).isZero();
      assertThat(part).containsExactly(0, 0, 1, 1);
      assertThat(level.cut(part)).isEqualTo(12);
    }
  }
}
