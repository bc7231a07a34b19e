package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.graph.generate.Bter.Clustering;
import dev.gossamer.matrix.CsrMatrix;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What every generator promises.
class GeneratorTest {
  private static final int N = 4000;

  @TempDir Path folder;

  private static final Planted NARROW = Planted.DEFAULT.withFeatures(16);

  private static Stream<Generator> generators() {
    return generators(1);
  }

  private static Stream<Generator> generators(long seed) {
    Planted planted = NARROW.withSeed(seed);
    DegreeDistribution powerLaw = DegreeDistribution.powerLaw(N, 2, 1, 200);
    DegreeDistribution logNormal = DegreeDistribution.logNormal(N, 8, 1, 200);
    return Stream.of(
        Rmat.of(4096).withEdgeFactor(8).withPlanted(planted),
        Rmat.of(N + 1).withEdgeFactor(8).withPlanted(planted),
        new StochasticBlocks(N, 10, 0.6, planted.withClasses(7)),
        new StochasticBlocks(N, 10, 1, planted.withClasses(1)),
        Grid.of(50, 80).withPatch(9).withPlanted(planted.withClasses(5)),
        new Grid(80, 50, Grid.Border.TORUS, 7, planted.withClasses(5)),
        new Bter(powerLaw, new Clustering(0.7, 0.01), 0.6, planted.withClasses(6)),
        new Bter(logNormal, new Clustering(0, 0), 0, planted.withClasses(6)));
  }

  @ParameterizedTest
  @MethodSource("generators")
  void theGraphIsUndirectedAndSimple(Generator g) {
    try (GraphData d = g.build()) {
      CsrMatrix a = d.adjacency();
      assertThat(a.cols()).isEqualTo(g.vertices());
      assertThat(a.rows()).isEqualTo(g.vertices());
      assertThat(a.nnz()).isPositive();
      assertThat(a.values()).isNull();
      assertThat(a.validate()).isNull();
      assertThat(a.isCanonical()).isTrue();
      assertThat(a.isSymmetric()).isTrue();
      for (int v = 0; v < g.vertices(); v++) {
        assertThat(a.rowColumns(v)).doesNotContain(v);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("generators")
  void everyClassIsThereAndEveryVertexHasOne(Generator g) {
    try (GraphData d = g.build()) {
      assertThat(d.classes()).isEqualTo(g.planted().classes());
      assertThat(d.labels()).hasSize(g.vertices());
      assertThat(Arrays.stream(d.labels()).distinct().sorted().toArray())
          .isEqualTo(IntStream.range(0, g.planted().classes()).toArray());
      assertThat(d.features().width()).isEqualTo(16);
      assertThat(d.info().provenance()).containsEntry("generator", g.name()).containsKey("seed");
    }
  }

  @ParameterizedTest
  @MethodSource("generators")
  void theFolderHoldsTheSameBytesAsMemory(Generator g) {
    g.generate(folder.resolve("set"), Progress.SILENT);
    try (GraphData built = g.build();
        GraphData again = g.build();
        GraphData read = DatasetFolder.open(folder.resolve("set"))) {
      assertThat(Fingerprint.of(again)).isEqualTo(Fingerprint.of(built));
      assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(built));
      assertThat(read.split()).isEqualTo(built.split());
      assertThat(read.info()).isEqualTo(built.info());
    }
  }

  @Test
  void anotherSeedGivesOtherBytes() {
    List<String> one = generators(1).map(GeneratorTest::fingerprint).toList();
    List<String> two = generators(2).map(GeneratorTest::fingerprint).toList();
    assertThat(one).doesNotContainAnyElementsOf(two).doesNotHaveDuplicates();
  }

  private static String fingerprint(Generator g) {
    try (GraphData d = g.build()) {
      return Fingerprint.of(d);
    }
  }

  /// For noise of equal variance in all directions the nearest class mean is the best guess that
  /// features alone allow. The same rule on averages over the neighbourhood must do clearly better,
  /// and neither may be perfect; R-MAT leaves many vertices without an edge, hence the small
  /// margin.
  @ParameterizedTest
  @MethodSource("generators")
  void neighboursTellMoreThanAVertexAlone(Generator g) {
    if (g.planted().classes() == 1 || (g instanceof Bter b && b.inside() == 0)) {
      return;
    }
    try (GraphData d = g.build()) {
      float[][] x = ((Features.Dense) d.features()).x().toArray();
      double alone = accuracyOfNearestMean(x, d.labels(), g.planted().classes());
      double averaged =
          accuracyOfNearestMean(averaged(d.adjacency(), x), d.labels(), g.planted().classes());
      assertThat(alone).isBetween(1.5 / g.planted().classes(), 0.8);
      assertThat(averaged).isBetween(alone + 0.1, 0.99);
    }
  }

  private static float[][] averaged(CsrMatrix a, float[][] x) {
    float[][] mean = new float[x.length][];
    for (int v = 0; v < x.length; v++) {
      mean[v] = x[v].clone();
      for (int u : a.rowColumns(v)) {
        for (int j = 0; j < x[v].length; j++) {
          mean[v][j] += x[u][j];
        }
      }
      for (int j = 0; j < x[v].length; j++) {
        mean[v][j] /= a.rowLength(v) + 1;
      }
    }
    return mean;
  }

  private static double accuracyOfNearestMean(float[][] x, int[] labels, int classes) {
    double[][] means = new double[classes][x[0].length];
    int[] sizes = new int[classes];
    for (int v = 0; v < x.length; v++) {
      sizes[labels[v]]++;
      for (int j = 0; j < x[v].length; j++) {
        means[labels[v]][j] += x[v][j];
      }
    }
    int right = 0;
    for (int v = 0; v < x.length; v++) {
      int best = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int c = 0; c < classes; c++) {
        double distance = 0;
        for (int j = 0; j < x[v].length; j++) {
          double difference = x[v][j] - means[c][j] / sizes[c];
          distance += difference * difference;
        }
        if (distance < least) {
          least = distance;
          best = c;
        }
      }
      right += best == labels[v] ? 1 : 0;
    }
    return (double) right / x.length;
  }

  /// A part of share `p` of `n` vertices, each drawn for itself: five standard deviations.
  @ParameterizedTest
  @MethodSource("generators")
  void theSplitHasItsFractions(Generator g) {
    try (GraphData d = g.build()) {
      double[] shares = {0, 0.1, 0.1, 0.8};
      int[] sizes = new int[4];
      for (byte code : d.split()) {
        sizes[code]++;
      }
      for (int code = 0; code < 4; code++) {
        double n = g.vertices();
        double slack = 5 * Math.sqrt(n * shares[code] * (1 - shares[code]));
        assertThat((double) sizes[code])
            .isBetween(n * shares[code] - slack, n * shares[code] + slack);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("generators")
  void edgesAreToldAsOftenAsAnnounced(Generator g) {
    long[] told = {0};
    g.edges().forEach((source, target, weight) -> told[0]++);
    // Exact, but for the pairs of BTER's blocks: independent draws, so five standard deviations are
    // at most 5 sqrt(n).
    double slack = g instanceof Bter ? 5 * Math.sqrt((double) g.expectedArcs()) : 0;
    assertThat((double) told[0]).isBetween(g.expectedArcs() - slack, g.expectedArcs() + slack);
  }

  @Test
  void progressRunsThroughItsStagesToTheEnd() {
    List<String> labels = new ArrayList<>();
    long[] last = new long[2];
    Generator g = Rmat.of(1 << 16).withEdgeFactor(20).withPlanted(NARROW.withFeatures(4));
    g.generate(
        folder.resolve("set"),
        (label, done, total) -> {
          assertThat(done).isBetween(1L, total);
          if (!labels.contains(label)) {
            assertThat(last[0]).isEqualTo(last[1]);
            labels.add(label);
          } else {
            assertThat(done).isGreaterThanOrEqualTo(last[0]);
          }
          last[0] = done;
          last[1] = total;
        });
    assertThat(labels).containsExactly("counting edges", "placing edges", "writing features");
    assertThat(last).containsExactly(1 << 16, 1 << 16);
  }

  @Test
  void aGraphWithoutFeaturesIsAGraph() {
    Generator g = Grid.of(4, 5).withPatch(2).withPlanted(NARROW.withFeatures(0));
    g.generate(folder.resolve("set"), Progress.SILENT);
    try (GraphData built = g.build();
        GraphData read = DatasetFolder.open(folder.resolve("set"))) {
      assertThat(built.features()).isInstanceOf(Features.None.class);
      assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(built));
    }
  }

  @Test
  void parametersOutOfRangeAreNamed() {
    DegreeDistribution degrees = DegreeDistribution.ofCounts(new int[] {1, 2});
    Rmat small = Rmat.of(16);
    Planted one = NARROW.withClasses(1);
    refused(() -> Rmat.of(1), "vertices: expected at least 2, found 1");
    refused(() -> small.withEdgeFactor(0), "edgeFactor: expected more than 0, found 0.0");
    refused(
        () -> new Rmat.Quadrants(0.6, 0.3, 0.2),
        "quadrants: expected a more than 0, b and c at least 0, their sum at most 1,"
            + " found 0.6, 0.3, 0.2");
    refused(() -> small.withPlanted(NARROW.withClasses(17)), "classes: expected 1 to 16, found 17");
    refused(
        () -> new StochasticBlocks(9, 1, 1, NARROW.withClasses(5)),
        "classes: expected 1 to 4, found 5");
    refused(
        () -> new StochasticBlocks(9, 1, 0.5, one),
        "inside: expected 1 with a single block, found 0.5");
    refused(
        () -> StochasticBlocks.of(900).withInside(Double.NaN),
        "inside: expected 0 to 1, found NaN");
    refused(
        () -> Grid.of(2, 5).withBorder(Grid.Border.TORUS), "rows: expected at least 3, found 2");
    refused(
        () -> Grid.of(1 << 16, 1 << 16),
        "rows, cols: expected at most 2147483647 vertices, found 4294967296");
    refused(() -> new Clustering(1.5, 0), "clustering: expected 0 to 1, found 1.5");
    refused(() -> new Clustering(1, -1), "clusteringDecay: expected at least 0, found -1.0");
    refused(() -> NARROW.withClasses(0), "classes: expected at least 1, found 0");
    refused(() -> Bter.of(degrees).withInside(-1), "inside: expected 0 to 1, found -1.0");
    refused(() -> NARROW.withSignal(Double.NaN), "signal: expected at least 0, found NaN");
    refused(() -> NARROW.withFeatures(-1), "features: expected at least 0, found -1");
  }

  private static void refused(Supplier<Object> made, String message) {
    assertThatThrownBy(made::get).isInstanceOf(InvalidInputException.class).hasMessage(message);
  }
}
