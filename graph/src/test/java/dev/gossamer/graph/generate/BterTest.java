package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Percentage.withPercentage;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.generate.Bter.Clustering;
import dev.gossamer.matrix.CsrMatrix;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BterTest {
  private static final Planted GRAPH = Planted.DEFAULT.withFeatures(0);
  private static final long SEED = 9;

  private static Bter bter(DegreeDistribution degrees, double most, double inside) {
    return new Bter(
        degrees, new Clustering(most, 0.002), inside, GRAPH.withClasses(8).withSeed(SEED));
  }

  /// Degree that each vertex is to have: they are dealt out in ascending order.
  private static int[] targets(DegreeDistribution degrees) {
    int[] ids = Permutation.of(degrees.vertices(), SEED);
    int[] targets = new int[ids.length];
    int v = 0;
    for (int degree = 0; degree <= degrees.max(); degree++) {
      for (int k = 0; k < degrees.count(degree); k++) {
        targets[ids[v++]] = degree;
      }
    }
    return targets;
  }

  /// Distinct neighbours meet every degree in expectation. The degree of a vertex has a variance of
  /// at most its expectation. Hubs of one class meet each other less often than they should at
  /// random, hence another 3 %.
  @ParameterizedTest
  @CsvSource({"0, 0", "0.3, 0", "1, 0", "0.3, 0.5", "0, 1"})
  void degreesAreThoseAskedFor(double clustering, double inside) {
    DegreeDistribution degrees = DegreeDistribution.powerLaw(20_000, 1.8, 1, 300);
    int[] targets = targets(degrees);
    double[] found = new double[degrees.max() + 1];
    try (GraphData d = bter(degrees, clustering, inside).build()) {
      for (int v = 0; v < targets.length; v++) {
        found[targets[v]] += (double) d.adjacency().rowLength(v);
      }
    }
    for (int degree = 1; degree <= degrees.max(); degree++) {
      double expected = (double) degree * degrees.count(degree);
      // An edge inside a degree counts twice there, hence the factor 2 in the variance.
      double slack = 5 * Math.sqrt(2 * expected) + 0.03 * expected + 1;
      assertThat(found[degree])
          .as("degree %d", degree)
          .isBetween(expected - slack, expected + slack);
    }
  }

  /// A citation network of 700 papers with up to a half of all edges there can be; many classes, so
  /// that classes are soon full.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, 7, 0.5", "4, 16, 0.5", "16, 16, 0.5", "32, 7, 0.5", "64, 16, 0", "90, 7, 0.5"})
  void theSumOfDegreesIsMetAtEveryDensity(double factor, int classes, double inside) {
    DegreeDistribution once = DegreeDistribution.powerLaw(700, 2.2, 2, 60);
    DegreeDistribution degrees = once.scaledBy(factor);
    assertThat((double) degrees.sum()).isCloseTo(factor * (double) once.sum(), withPercentage(0.5));
    for (long seed = 1; seed <= 3; seed++) {
      Planted planted = GRAPH.withClasses(classes).withSeed(seed);
      Bter g = new Bter(degrees, Clustering.DEFAULT, inside, planted);
      try (GraphData d = g.build()) {
        assertThat((double) d.adjacency().nnz())
            .as("seed %d", seed)
            .isCloseTo((double) degrees.sum(), withPercentage(2));
      }
    }
  }

  @Test
  void theCompleteGraphIsReached() {
    Bter g = bter(DegreeDistribution.powerLaw(60, 2, 1, 20).scaledBy(1000), 0.6, 0.5);
    assertThat(g.degrees().sum()).isEqualTo(60 * 59);
    try (GraphData d = g.build()) {
      assertThat((double) d.adjacency().nnz()).isGreaterThanOrEqualTo(0.98 * 60 * 59);
    }
  }

  /// Sixty hubs that want all others, who want one neighbour each.
  @Test
  void degreesThatNoGraphHasAreRefused() {
    int[] counts = new int[1000];
    counts[1] = 940;
    counts[999] = 60;
    Bter g = bter(DegreeDistribution.ofCounts(counts), 0, 0);
    assertThatThrownBy(g::build)
        .isInstanceOf(InvalidInputException.class)
        .hasMessageMatching(
            "degrees: expected degrees that distinct neighbours can make up, found 1000 vertices "
                + "of mean degree 60.88, at most 999, of which [0-9.]+ % would be missing; lower "
                + "degrees or the share inside classes");
  }

  /// The reference is written from the definition: pairs, one by one.
  @Test
  void weightsMakeUpForRepeats() {
    DegreeDistribution degrees = DegreeDistribution.powerLaw(300, 2.2, 8, 100);
    AffinityBlocks blocks = new AffinityBlocks(degrees, new Clustering(0.5, 0.01), 1);
    int[] classOf = new int[300];
    for (int block = 0; block < blocks.count(); block++) {
      Arrays.fill(classOf, blocks.start(block), blocks.start(block + 1), block % 3);
    }
    ExcessWeights excess = new ExcessWeights(blocks, classOf, 3, 0.4);
    double[] w = excess.weights();
    double[] lacking = blocks.excess();
    double wrong = 0;
    double all = 0;
    for (int v = 0; v < 300; v++) {
      double found = 0;
      for (int u = 0; u < 300; u++) {
        double rate =
            excess.anyRate() + (classOf[u] == classOf[v] ? excess.classRate(classOf[u]) : 0);
        found += u == v ? 0 : (1 - joined(blocks, u, v)) * (1 - Math.exp(-rate * w[u] * w[v]));
      }
      wrong += Math.abs(found - lacking[v]);
      all += lacking[v];
    }
    assertThat(wrong).isLessThan(0.01 * all);
  }

  private static double joined(AffinityBlocks blocks, int u, int v) {
    for (int block = 0; block < blocks.count(); block++) {
      if (Math.min(u, v) >= blocks.start(block) && Math.max(u, v) < blocks.start(block + 1)) {
        return blocks.density(block);
      }
    }
    return 0;
  }

  /// In a block, three pairs close with probability `rho^3 = c`. A vertex of target degree `d` has
  /// `c d (d - 1) / 2` triangles there, and between `d (d - 1) / 2` and `d^2 / 2` pairs of
  /// neighbours on average, as the variance of its degree is at most `d`; triangles of phase 2 are
  /// rare in a graph this sparse, repeats too. Hence a ratio of `c (1 - 1/d)` to `c`, here with a
  /// tenth on either side for chance.
  @ParameterizedTest
  @ValueSource(doubles = {0.2, 0.6, 0.9})
  void trianglesAreAsManyAsAskedFor(double most) {
    DegreeDistribution degrees = DegreeDistribution.logNormal(20_000, 8, 0.6, 60);
    int[] targets = targets(degrees);
    try (GraphData d = bter(degrees, most, 0).build()) {
      for (int degree : new int[] {4, 8, 12}) {
        double ratio = clustering(d.adjacency(), targets, degree);
        double c = new Clustering(most, 0.002).at(degree);
        assertThat(ratio).as("degree %d", degree).isBetween(0.9 * c * (1 - 1.0 / degree), 1.1 * c);
      }
    }
  }

  @Test
  void withoutClusteringTrianglesAreRare() {
    DegreeDistribution degrees = DegreeDistribution.logNormal(20_000, 8, 0.6, 60);
    try (GraphData d = bter(degrees, 0, 0).build()) {
      // Chung-Lu: two neighbours are joined with probability E[d^2]^2 / (E[d]^3 n), below 0.2 %.
      assertThat(clustering(d.adjacency(), targets(degrees), 8)).isLessThan(0.002);
    }
  }

  /// Closed pairs of neighbours over all pairs of neighbours, over vertices of one target degree.
  private static double clustering(CsrMatrix a, int[] targets, int degree) {
    double closed = 0;
    double pairs = 0;
    for (int v = 0; v < targets.length; v++) {
      if (targets[v] != degree) {
        continue;
      }
      int[] row = a.rowColumns(v);
      pairs += row.length * (row.length - 1) / 2.0;
      for (int u : row) {
        int[] other = a.rowColumns(u);
        closed += Arrays.stream(row).filter(w -> w > u && holds(other, w)).count();
      }
    }
    return closed / pairs;
  }

  private static boolean holds(int[] ids, int id) {
    return Arrays.binarySearch(ids, id) >= 0;
  }

  /// Without blocks, ends agree with probability `inside`, or by chance: the squares of the
  /// classes' shares of the ends, summed.
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 1})
  void theShareOfEdgesInsideAClassIsAsPlanted(double inside) {
    DegreeDistribution degrees = DegreeDistribution.powerLaw(20_000, 2, 1, 100);
    Bter g = bter(degrees, 0, inside);
    int[] targets = targets(degrees);
    int[] labels = g.labels();
    double[] shares = new double[8];
    double ends = degrees.mean() * 20_000;
    for (int v = 0; v < labels.length; v++) {
      shares[labels[v]] += targets[v] / ends;
    }
    double chance = Arrays.stream(shares).map(share -> share * share).sum();
    double[] same = {0};
    g.edges()
        .forEach((source, target, weight) -> same[0] += labels[source] == labels[target] ? 1 : 0);
    double share = inside + (1 - inside) * chance;
    // Another hundredth for pairs of hubs, which have one edge at most.
    double slack = 5 * Math.sqrt(share * (1 - share) / (ends / 2)) + 0.01;
    assertThat(same[0] / Math.round(ends / 2)).isBetween(share - slack, share + slack);
  }

  /// A block is a class: with full clustering and one degree, the graph is cliques of one class.
  @Test
  void fullClusteringOfOneDegreeMakesCliquesOfOneClass() {
    DegreeDistribution degrees = DegreeDistribution.ofCounts(new int[] {0, 0, 0, 0, 50});
    Bter g = new Bter(degrees, new Clustering(1, 0), 0, GRAPH.withClasses(8).withSeed(SEED));
    try (GraphData d = g.build()) {
      assertThat(d.edges()).isEqualTo(10 * 10);
      for (int v = 0; v < 50; v++) {
        assertThat(d.adjacency().rowLength(v)).isEqualTo(4);
        for (int u : d.adjacency().rowColumns(v)) {
          assertThat(d.labels()[u]).isEqualTo(d.labels()[v]);
        }
      }
    }
  }
}
