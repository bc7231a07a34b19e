package dev.gossamer.partition.coarsen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.partition.RandomLevel;
import dev.gossamer.partition.level.LevelGraph;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Contractions against sums over a dense matrix of weights.
class ContractionTest {
  /// @param names of clusters that are drawn from the vertices
  private static int[] clusters(Random random, int vertices, int names) {
    int[] name = random.ints(names, 0, vertices).toArray();
    return random.ints(vertices, 0, names).map(i -> name[i]).toArray();
  }

  /// The weights between clusters, and 0 within them.
  private static long[][] weights(RandomLevel fine, int[] coarse, int count) {
    long[][] weights = new long[count][count];
    for (int v = 0; v < coarse.length; v++) {
      for (int u = 0; u < coarse.length; u++) {
        weights[coarse[v]][coarse[u]] += coarse[v] == coarse[u] ? 0 : fine.weight(v, u);
      }
    }
    return weights;
  }

  private static long[][] weights(LevelGraph graph) {
    long[][] weights = new long[graph.vertices()][graph.vertices()];
    for (int v = 0; v < graph.vertices(); v++) {
      for (long e = graph.start(v); e < graph.start(v + 1); e++) {
        int u = graph.neighbour(e);
        assertThat(u).isNotEqualTo(v);
        assertThat(weights[v][u]).isZero();
        weights[v][u] = graph.weight(e, v, u);
        assertThat(weights[v][u]).isPositive();
      }
    }
    return weights;
  }

  /// More coarse vertices than a task contracts, a few, and one.
  @ParameterizedTest
  @CsvSource({"1, 900, 2500, 3000", "3, 900, 2500, 3000", "2, 200, 800, 30", "1, 60, 300, 1"})
  void weightsAndLoadsOfClustersAreSums(int threads, int vertices, int edges, int names) {
    Random random = new Random(names);
    int[] name = clusters(random, vertices, names);
    try (RandomLevel fine = RandomLevel.of(random, vertices, edges, 2);
        Workers workers = new Workers(threads)) {
      Contraction contraction = Contraction.of(fine.graph(), name.clone(), workers);
      try (LevelGraph coarse = contraction.graph()) {
        int[] ascending = Arrays.stream(name).distinct().sorted().toArray();
        int[] expected =
            Arrays.stream(name).map(each -> Arrays.binarySearch(ascending, each)).toArray();
        int[] found = IntStream.range(0, vertices).map(contraction.coarse()::of).toArray();
        assertThat(found).isEqualTo(expected);
        assertThat(coarse.vertices()).isEqualTo(ascending.length);
        assertThat(weights(coarse)).isDeepEqualTo(weights(fine, expected, ascending.length));
        for (int i = 0; i < coarse.vertices(); i++) {
          int number = i;
          int[] members = IntStream.range(0, vertices).filter(v -> expected[v] == number).toArray();
          assertThat(coarse.size(i))
              .isEqualTo(Arrays.stream(members).map(fine.graph()::size).sum());
          for (int c = 0; c < 2; c++) {
            int load = c;
            assertThat(coarse.load(c, i))
                .isEqualTo(Arrays.stream(members).map(v -> fine.graph().load(load, v)).sum());
          }
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 300, 900, 100", "5, 300, 900, 100", "7, 500, 4000, 60"})
  void aPartitionHasTheSameCutAndLoadsOnBothLevels(int parts, int vertices, int edges, int names) {
    Random random = new Random(parts);
    try (RandomLevel fine = RandomLevel.of(random, vertices, edges, 2);
        Workers workers = new Workers(2)) {
      Contraction contraction =
          Contraction.of(fine.graph(), clusters(random, vertices, names), workers);
      try (LevelGraph coarse = contraction.graph()) {
        int[] part = random.ints(coarse.vertices(), 0, parts).toArray();
        int[] projected = contraction.coarse().project(part);
        long[][] w = weights(coarse);
        long cut = 0;
        long[][] loads = new long[2][parts];
        for (int v = 0; v < part.length; v++) {
          for (int u = 0; u < v; u++) {
            cut += part[u] == part[v] ? 0 : w[v][u];
          }
          for (int c = 0; c < 2; c++) {
            loads[c][part[v]] += coarse.load(c, v);
          }
        }
        assertThat(fine.cut(projected)).isEqualTo(cut).isPositive();
        assertThat(fine.loads(projected, parts)).isDeepEqualTo(loads);
        assertThat(contraction.coarse().lift(projected, coarse.vertices())).isEqualTo(part);
      }
    }
  }

  @Test
  void sumsOfWeightsStopAtTheLargestInteger() {
    int most = Integer.MAX_VALUE;
    try (RandomLevel fine =
            RandomLevel.ofEdges(
                4, new int[] {0, 2, most}, new int[] {1, 3, 5}, new int[] {0, 1, 9});
        Workers workers = new Workers(1);
        LevelGraph coarse = Contraction.of(fine.graph(), new int[] {0, 0, 2, 2}, workers).graph()) {
      assertThat(weights(coarse)).isDeepEqualTo(new long[][] {{0, most}, {most, 0}});
    }
  }
}
