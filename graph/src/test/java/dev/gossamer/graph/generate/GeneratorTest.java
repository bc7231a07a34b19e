package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.graph.generate.Bter.Clustering;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.io.InvalidInputException;
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

  private static Stream<Generator> generators() {
    return generators(1, VertexData.ofWidth(16));
  }

  private static Stream<Generator> generators(long seed, VertexData data) {
    return Stream.of(
        Rmat.of(4096, 8, data, seed),
        Rmat.of(N + 1, 8, data, seed),
        new StochasticBlocks(N, 7, 10, 0.6, data, seed),
        new StochasticBlocks(N, 1, 10, 1, data, seed),
        new Grid(50, 80, false, 9, 5, data, seed),
        new Grid(80, 50, true, 7, 5, data, seed),
        new Bter(
            DegreeDistribution.powerLaw(N, 2, 1, 200),
            new Clustering(0.7, 0.01),
            6,
            0.6,
            data,
            seed),
        new Bter(
            DegreeDistribution.logNormal(N, 8, 1, 200), new Clustering(0, 0), 6, 0, data, seed));
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
      assertThat(d.classes()).isEqualTo(g.classes());
      assertThat(d.labels()).hasSize(g.vertices());
      assertThat(Arrays.stream(d.labels()).distinct().sorted().toArray())
          .isEqualTo(IntStream.range(0, g.classes()).toArray());
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
    VertexData data = VertexData.ofWidth(16);
    List<String> one = generators(1, data).map(GeneratorTest::fingerprint).toList();
    List<String> two = generators(2, data).map(GeneratorTest::fingerprint).toList();
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
    if (g.classes() == 1 || (g instanceof Bter b && b.inside() == 0)) {
      return;
    }
    try (GraphData d = g.build()) {
      float[][] x = ((Features.Dense) d.features()).x().toArray();
      double alone = accuracyOfNearestMean(x, d.labels(), g.classes());
      double averaged = accuracyOfNearestMean(averaged(d.adjacency(), x), d.labels(), g.classes());
      assertThat(alone).isBetween(1.5 / g.classes(), 0.8);
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
    Generator g = Rmat.of(1 << 16, 20, VertexData.ofWidth(4), 3);
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
    Generator g = new Grid(4, 5, false, 2, 2, VertexData.ofWidth(0), 0);
    g.generate(folder.resolve("set"), Progress.SILENT);
    try (GraphData built = g.build();
        GraphData read = DatasetFolder.open(folder.resolve("set"))) {
      assertThat(built.features()).isInstanceOf(Features.None.class);
      assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(built));
    }
  }

  @Test
  void parametersOutOfRangeAreNamed() {
    VertexData data = VertexData.ofWidth(4);
    DegreeDistribution degrees = DegreeDistribution.ofCounts(new int[] {1, 2});
    refused(() -> Rmat.of(1, 8, data, 0), "rmat: vertices: expected at least 2, found 1");
    refused(() -> Rmat.of(8, 0, data, 0), "rmat: edge factor: expected more than 0, found 0.0");
    refused(
        () -> new Rmat(8, 1, 0.6, 0.3, 0.2, 1, 0, data, 0),
        "rmat: a, b, c: expected a more than 0, b and c at least 0, their sum at most 1,"
            + " found 0.6, 0.3, 0.2");
    refused(
        () -> new Rmat(8, 1, 0.5, 0.2, 0.2, 9, 0, data, 0),
        "rmat: classes: expected 1 to 8, found 9");
    refused(
        () -> new StochasticBlocks(9, 5, 1, 1, data, 0), "sbm: blocks: expected 1 to 4, found 5");
    refused(
        () -> new StochasticBlocks(9, 1, 1, 0.5, data, 0),
        "sbm: inside: expected 1 with a single block, found 0.5");
    refused(
        () -> new StochasticBlocks(9, 2, 1, Double.NaN, data, 0),
        "sbm: inside: expected 0 to 1, found NaN");
    refused(() -> new Grid(2, 5, true, 1, 1, data, 0), "grid: rows: expected at least 3, found 2");
    refused(
        () -> new Grid(1 << 16, 1 << 16, false, 1, 1, data, 0),
        "grid: rows x cols: expected at most 2147483647 vertices, found 4294967296");
    refused(
        () -> new Bter(degrees, new Clustering(1.5, 0), 1, 0, data, 0),
        "bter: clustering: expected 0 to 1, found 1.5");
    refused(
        () -> new Bter(degrees, new Clustering(1, 0), 0, 0, data, 0),
        "bter: classes: expected at least 1, found 0");
    refused(
        () -> new Bter(degrees, new Clustering(1, 0), 1, -1, data, 0),
        "bter: inside: expected 0 to 1, found -1.0");
    refused(
        () -> new VertexData(1, Double.NaN, data.fractions()),
        "signal: expected at least 0, found NaN");
    refused(() -> VertexData.ofWidth(-1), "features: expected at least 0, found -1");
  }

  private static void refused(Supplier<Object> made, String message) {
    assertThatThrownBy(made::get).isInstanceOf(InvalidInputException.class).hasMessage(message);
  }
}
