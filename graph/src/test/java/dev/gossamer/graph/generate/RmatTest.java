package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.graph.GraphData;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RmatTest {
  private static final Planted GRAPH = Planted.DEFAULT.withFeatures(0);
  private static final int SCALE = 12;
  private static final int N = 1 << SCALE;

  private static Rmat rmat(int vertices, int classes, double inside) {
    return Rmat.of(vertices).withInside(inside).withPlanted(GRAPH.withClasses(classes).withSeed(5));
  }

  /// Five standard deviations of a share among `draws` independent draws.
  private static double tolerance(double share, double draws) {
    return 5 * Math.sqrt(share * (1 - share) / draws);
  }

  private static int[] inverse(int[] ids) {
    int[] inverse = new int[ids.length];
    for (int v = 0; v < ids.length; v++) {
      inverse[ids[v]] = v;
    }
    return inverse;
  }

  @Test
  void everyLevelFallsIntoTheQuadrantsInTheirShares() {
    Rmat g = rmat(N, 1, 0);
    int[] before = inverse(Permutation.of(N, 5));
    double[][] counts = new double[SCALE][4];
    g.edges()
        .forEach((source, target, weight) -> {
          for (int bit = 0; bit < SCALE; bit++) {
            int lower = before[source] >> bit & 1;
            int right = before[target] >> bit & 1;
            counts[bit][2 * lower + right]++;
          }
        });
    double[] shares = {0.57, 0.19, 0.19, 0.05};
    double arcs = 16.0 * N;
    for (int bit = 0; bit < SCALE; bit++) {
      for (int quadrant = 0; quadrant < 4; quadrant++) {
        double share = shares[quadrant];
        assertThat(counts[bit][quadrant] / arcs)
            .as("bit %d, quadrant %d", bit, quadrant)
            .isBetween(share - tolerance(share, arcs), share + tolerance(share, arcs));
      }
    }
  }

  /// Where no edge is moved, two ends agree in the class bits with probability `(a + d)^bits`.
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 1})
  void theShareOfEdgesInsideAClassIsAsPlanted(double inside) {
    Rmat g = rmat(N, 16, inside);
    int[] labels = g.labels();
    double[] same = {0};
    g.edges()
        .forEach((source, target, weight) -> same[0] += labels[source] == labels[target] ? 1 : 0);
    double share = inside + (1 - inside) * Math.pow(0.62, 4);
    double slack = tolerance(share, 16.0 * N);
    assertThat(same[0] / (16.0 * N)).isBetween(share - slack, share + slack);
  }

  /// Moving targets inside their group of ids changes no expected degree: the most favoured vertex,
  /// 0 before the permutation, is told as often as without.
  @Test
  void plantingKeepsTheTailOfTheDegrees() {
    double expected = 2 * 16.0 * N * Math.pow(0.76, SCALE);
    for (double inside : new double[] {0, 1}) {
      int hub = Permutation.of(N, 5)[0];
      double[] degree = {0};
      rmat(N, 16, inside)
          .edges()
          .forEach((source, target, weight) ->
              degree[0] += (source == hub ? 1 : 0) + (target == hub ? 1 : 0));
      // The two ends of an arc may depend on each other: at most twice the independent variance.
      double slack = 5 * Math.sqrt(2 * expected);
      assertThat(degree[0]).isBetween(expected - slack, expected + slack);
    }
  }

  @Test
  void aNumberThatIsNoPowerOfTwoHasBalancedClassesAndItsOwnIds() {
    Rmat g = rmat(3000, 7, 0.5);
    int[] sizes = new int[7];
    Arrays.stream(g.labels()).forEach(label -> sizes[label]++);
    assertThat(sizes).containsExactly(429, 429, 429, 429, 428, 428, 428);
    g.edges()
        .forEach((source, target, weight) -> {
          if (source < 0 || source >= 3000 || target < 0 || target >= 3000) {
            throw new AssertionError(source + " -> " + target);
          }
        });
  }

  /// Of the told edges, at most those are lost that fall on a told pair or on the diagonal. On the
  /// diagonal: each level keeps both halves equal with probability `a + d`.
  @Test
  void fewEdgesAreLost() {
    try (GraphData d = rmat(N, 1, 0).build()) {
      long told = 16L * N;
      assertThat(d.edges()).isLessThan(told);
      // Expected repeats of a cell, at most told^2 / 2 * (a^2 + b^2 + c^2 + d^2)^scale, and twice
      // that as a cell and its mirror are one edge.
      double repeats = (double) told * told * Math.pow(0.3996, SCALE);
      double diagonal = told * Math.pow(0.62, SCALE);
      assertThat((double) d.edges()).isGreaterThan(told - 2 * (repeats + diagonal));
    }
  }
}
