package dev.gossamer.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.partition.level.LevelGraph;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionerTest {
  private static final CsrMatrix POWER_LAW = Graphs.rmat(3000, 5);
  private static final CsrMatrix MESH = Graphs.grid(40, 50);

  static Stream<String> ours() {
    return Partitioner.names().stream().filter(name -> !name.startsWith("metis"));
  }

  static Stream<String> multilevel() {
    return Stream.of("edge-cut", "volume", "gvb");
  }

  private static Partition partition(String name, PartitionRequest request, int threads) {
    try (Workers workers = new Workers(threads)) {
      return Partitioner.named(name).partition(request, workers, Progress.SILENT);
    }
  }

  private static PartitionQuality quality(String name, PartitionRequest request) {
    return PartitionQuality.of(request, partition(name, request, 1));
  }

  private static double cap(double epsilon, double total, int k) {
    return Math.max(Math.floor((1 + epsilon) * total / k), Math.ceil(total / k)) * k / total - 1;
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("multilevel")
  void keepsAllBalancesOnAPowerLawGraph(String name) {
    for (int k : new int[] {2, 7, 16}) {
      PartitionRequest request =
          PartitionRequest.of(POWER_LAW, k, 11).withTraining(v -> v % 10 == 3);
      PartitionQuality q = quality(name, request);
      assertThat(q.vertexImbalance()).isLessThanOrEqualTo(cap(0.03, 3000, k) + 1e-12);
      assertThat(q.nonzeroImbalance())
          .isLessThanOrEqualTo(cap(0.05, (double) POWER_LAW.nnz(), k) + 1e-12);
      assertThat(q.trainingImbalance()).isLessThanOrEqualTo(cap(0.05, 300, k) + 1e-12);
    }
  }

  @ParameterizedTest
  @MethodSource("multilevel")
  void keepsTheBalanceOfAGridAndCutsItNearItsBest(String name) {
    PartitionRequest request = PartitionRequest.of(MESH, 4, 2);
    PartitionQuality q = quality(name, request);
    assertThat(q.vertexImbalance()).isLessThanOrEqualTo(cap(0.03, 2000, 4) + 1e-12);
    assertThat(q.nonzeroImbalance()).isLessThanOrEqualTo(cap(0.05, (double) MESH.nnz(), 4) + 1e-12);
    // Two straight cuts through the middle send 180 rows, blocks of ten rows send 300.
    assertThat(q.totalVolume()).isLessThan(300);
  }

  @Test
  void eachObjectiveIsBetterAtItsOwn() {
    PartitionRequest request = PartitionRequest.of(POWER_LAW, 8, 1);
    PartitionQuality random = quality("random", request);
    PartitionQuality cut = quality("edge-cut", request);
    PartitionQuality volume = quality("volume", request);
    PartitionQuality gvb = quality("gvb", request);
    assertThat(cut.edgeCut()).isLessThan(random.edgeCut()).isLessThan(volume.edgeCut());
    assertThat(volume.totalVolume()).isLessThan(cut.totalVolume()).isLessThan(random.totalVolume());
    assertThat(gvb.sendImbalance()).isLessThan(volume.sendImbalance());
    assertThat(gvb.maxSend()).isLessThan(volume.maxSend());
  }

  /// The part that has the hubs receives most, and sends little.
  @Test
  void gvbRelievesTheBusiestReceiver() {
    PartitionRequest request = PartitionRequest.of(Graphs.hubs(3000, 50), 8, 1);
    PartitionQuality volume = quality("volume", request);
    PartitionQuality gvb = quality("gvb", request);
    assertThat(gvb.maxReceive()).isLessThan(volume.maxReceive());
    assertThat(gvb.maxSend()).isLessThan((long) (0.9 * (double) volume.maxSend()));
    assertThat(gvb.totalVolume()).isLessThan((long) (1.03 * (double) volume.totalVolume()));
  }

  @ParameterizedTest
  @MethodSource("ours")
  void theNumberOfThreadsChangesNothing(String name) {
    for (CsrMatrix graph : List.of(POWER_LAW, MESH)) {
      PartitionRequest request = PartitionRequest.of(graph, 5, 42);
      assertThat(partition(name, request, 2)).isEqualTo(partition(name, request, 1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"random", "gvb"})
  void theSeedChangesThePartition(String name) {
    assertThat(partition(name, PartitionRequest.of(POWER_LAW, 4, 1), 1))
        .isNotEqualTo(partition(name, PartitionRequest.of(POWER_LAW, 4, 2), 1));
  }

  @ParameterizedTest
  @MethodSource("ours")
  void takesOddRequests(String name) {
    CsrMatrix empty = Graphs.of(0);
    CsrMatrix isolated = Graphs.of(700);
    CsrMatrix pair = Graphs.of(2, new int[] {0, 1});
    CsrMatrix star = Graphs.star(900);
    for (CsrMatrix graph : List.of(empty, isolated, pair, star)) {
      for (int k : new int[] {1, 3, 20}) {
        Partition partition = partition(name, PartitionRequest.of(graph, k, 1), 1);
        assertThat(partition.vertices()).isEqualTo(graph.cols());
        assertThat(partition.parts()).isEqualTo(k);
        PartitionQuality q = PartitionQuality.of(PartitionRequest.of(graph, k, 1), partition);
        if (graph.cols() > 20) {
          assertThat(q.vertexImbalance())
              .isLessThanOrEqualTo(cap(0.03, (double) graph.cols(), k) + 1e-12);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("multilevel")
  void findsTheComponentsOfADisconnectedGraph(String name) {
    List<int[]> edges = new ArrayList<>();
    int size = 80;
    for (int c = 0; c < 4; c++) {
      for (int i = 0; i < size; i++) {
        for (int step = 1; step <= 4; step++) {
          edges.add(new int[] {c * size + i, c * size + (i + step) % size});
        }
      }
    }
    CsrMatrix rings = Graphs.of(4 * size, edges.toArray(int[][]::new));
    assertThat(quality(name, PartitionRequest.of(rings, 4, 1)).edgeCut()).isLessThan(60);
  }

  @Test
  void theEdgeCutIsWeighted() {
    int n = 400;
    long[] pointers = new long[n + 1];
    int[] columns = new int[2 * n];
    float[] values = new float[2 * n];
    // A ring in which every twentieth edge is light.
    for (int v = 0; v < n; v++) {
      int before = (v + n - 1) % n;
      int after = (v + 1) % n;
      pointers[v + 1] = 2L * (v + 1);
      columns[2 * v] = Math.min(before, after);
      columns[2 * v + 1] = Math.max(before, after);
      values[2 * v + (before < after ? 0 : 1)] = v % 20 == 0 ? 0.5f : 100f;
      values[2 * v + (before < after ? 1 : 0)] = v % 20 == 19 ? 0.5f : 100f;
    }
    CsrMatrix ring = CsrMatrix.of(Arena.ofAuto(), n, pointers, columns, values);
    Partition partition = partition("edge-cut", PartitionRequest.of(ring, 2, 1), 1);
    int cut = 0;
    for (int v = 0; v < n; v++) {
      if (partition.part(v) != partition.part((v + 1) % n)) {
        assertThat(v % 20).isEqualTo(19);
        cut++;
      }
    }
    assertThat(cut).isGreaterThanOrEqualTo(2);
  }

  @Test
  void aDirectedGraphIsPartitionedAsItsSymmetrisedPattern() {
    CsrMatrix arrows =
        CsrMatrix.of(Arena.ofAuto(), 4, new long[] {0, 2, 3, 3, 3}, new int[] {0, 1, 2}, null);
    CsrMatrix edges = Graphs.of(4, new int[] {0, 1}, new int[] {1, 2});
    assertThat(partition("gvb", PartitionRequest.of(arrows, 2, 1), 1))
        .isEqualTo(partition("gvb", PartitionRequest.of(edges, 2, 1), 1));
  }

  @ParameterizedTest
  @CsvSource({"metis, 1", "metis-volume, 1"})
  void metisAnswersWhereItIsInstalled(String name, long seed) {
    assumeTrue(
        Stream.of("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
            .anyMatch(place -> Files.exists(Path.of(place, "libmetis.so.5"))),
        "METIS is not installed (package libmetis5)");
    PartitionQuality q = quality(name, PartitionRequest.of(MESH, 4, seed));
    assertThat(q.edgeCut()).isBetween(1L, 150L);
    assertThat(q.vertexImbalance()).isLessThan(0.1);
  }

  @Test
  void progressEndsAndTheEstimateGrowsWithTheGraph() {
    List<String> labels = new ArrayList<>();
    try (Workers workers = new Workers(1)) {
      Partitioner.named("gvb")
          .partition(
              PartitionRequest.of(MESH, 4, 1),
              workers,
              (label, done, total) -> {
                assertThat(done).isBetween(0L, total);
                labels.add(label);
              });
    }
    assertThat(labels).contains("coarsening", "initial partition", "refinement", "volume");
    for (String name : Partitioner.names()) {
      Partitioner partitioner = Partitioner.named(name);
      assertThat(partitioner.bytes(1 << 20, 1L << 33, 64, 2))
          .isGreaterThanOrEqualTo(partitioner.bytes(1 << 20, 1 << 24, 64, 2))
          .isGreaterThan(1 << 20);
    }
  }

  @Test
  void theEstimateIsAtMostFiveGraphs() {
    for (String name : multilevel().toList()) {
      for (int k : new int[] {4, 16, 64, 256}) {
        long graph = CsrMatrix.bytes(1 << 18, 7_600_000, false);
        assertThat((double) Partitioner.named(name).bytes(1 << 18, 7_600_000, k, 2))
            .isLessThan(5 * (double) graph);
      }
    }
  }

  @Test
  void coarserLevelsAreNoLargerThanTheEstimateTakesThem() {
    assertCoarserLevelsAreSmall(Graphs.rmat(1 << 14, 2), MultilevelRun.IRREGULAR_GROWTH);
    assertCoarserLevelsAreSmall(Graphs.grid(100, 120), MultilevelRun.REGULAR_GROWTH);
  }

  private static void assertCoarserLevelsAreSmall(CsrMatrix graph, int growth) {
    int n = graph.cols();
    int[] ones = new int[n];
    Arrays.fill(ones, 1);
    long arcs = 0;
    long vertices = 0;
    LevelGraph input = LevelGraph.input(graph, ones, new int[][] {ones});
    try (Workers workers = new Workers(1);
        Hierarchy levels = new Hierarchy(input, null)) {
      while (levels.graph().vertices() > 400
          && levels.coarsen(
              new long[] {(long) growth * Math.ceilDiv(n, levels.graph().vertices())},
              1,
              workers)) {
        arcs += levels.graph().arcs();
        vertices += levels.graph().vertices();
      }
    }
    assertThat(arcs).isBetween(1L, MultilevelPartitioner.COARSE * (graph.nnz() + n));
    assertThat(vertices).isBetween(1L, MultilevelPartitioner.COARSE * n);
  }

  @Test
  void everyPartitionerIsFoundByItsNameInAnyCase() {
    assertThat(Partitioner.names()).doesNotHaveDuplicates();
    for (Partitioner partitioner : Partitioner.all()) {
      assertThat(Partitioner.named(partitioner.name())).isEqualTo(partitioner);
      assertThat(Partitioner.named(partitioner.name().toUpperCase(Locale.ROOT)))
          .isEqualTo(partitioner);
      assertThat(partitioner.description()).isNotBlank().doesNotContain("\n");
    }
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    assertThatThrownBy(() -> Partitioner.named("magic"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("gvb")
        .hasMessageEndingWith("found magic");
    assertThatThrownBy(() -> Partitioner.named("gvb-receive"))
        .hasMessageEndingWith("found gvb-receive; gvb does the same now");
    assertThatThrownBy(() -> new MetisPartitioner(Objective.BUSIEST_VOLUME))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "objective: expected EDGE_CUT or VOLUME, which METIS knows, found BUSIEST_VOLUME");
    assertThatThrownBy(() -> PartitionRequest.of(MESH, 0, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("found 0");
    assertThatThrownBy(() -> new Balance(-0.1, 0, 0))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("vertexImbalance: expected at least 0, found -0.1");
    assertThatThrownBy(() -> new Balance(0, Double.NaN, 0))
        .hasMessage("nonzeroImbalance: expected at least 0, found NaN");
  }
}
