package dev.gossamer.graph.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.NpyFile;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DatasetFolderTest {
  private static final int[] LABELS = {0, 1, GraphData.UNLABELLED, 1};
  private static final byte[] SPLIT = {1, 2, 0, 3};
  private static final float[][] X = {{1, 0, 2}, {0, 0, 0}, {0, 3.5f, 0}, {-1, 0, 1e-30f}};
  private static final GraphData.Info INFO =
      new GraphData.Info(
          "four", false, List.of("a", "b\"c"), true, Map.of("seed", "7"), "{\"a\":1}");

  @TempDir Path folder;

  enum Kind {
    DENSE,
    SPARSE,
    PATTERN,
    NONE
  }

  private static GraphData ring() {
    Arena arena = Arena.ofShared();
    return GraphData.of(arena, INFO, ring(arena, false)).withLabels(LABELS).withSplit(SPLIT);
  }

  private static CsrMatrix ring(Arena arena, boolean weighted) {
    return new CsrBuilder(4, true, false, weighted)
        .build(
            arena,
            sink -> {
              for (int v = 0; v < 4; v++) {
                sink.arc(v, (v + 1) % 4, v + 0.5f);
              }
            });
  }

  private static Features features(Arena arena, Kind kind) {
    long[] pointers = {0, 2, 2, 3, 5};
    int[] columns = {0, 2, 1, 0, 2};
    return switch (kind) {
      case DENSE -> new Features.Dense(DenseMatrix.of(arena, X));
      case SPARSE ->
          new Features.Sparse(
              CsrMatrix.of(arena, 3, pointers, columns, new float[] {1, 2, 3.5f, -1, 1e-30f}));
      case PATTERN -> new Features.Sparse(CsrMatrix.of(arena, 3, pointers, columns, null));
      case NONE -> new Features.None();
    };
  }

  @Test
  void featuresInFortranOrderAreReadRowByRow() throws IOException {
    Path target = folder.resolve("four");
    try (GraphData d = ring();
        Arena arena = Arena.ofShared()) {
      DatasetFolder.write(target, d.withFeatures(features(arena, Kind.DENSE)));
    }
    Files.delete(target.resolve("SHA256SUMS"));
    byte[] columns = SmallFiles.floats(1, 0, 0, -1, 0, 0, 3.5f, 0, 2, 0, 0, 1e-30f);
    SmallFiles.bytes(target.resolve("features.npy"), SmallFiles.fortran("<f4", "(4, 3)", columns));
    try (GraphData read = DatasetFolder.open(target)) {
      assertThat(((Features.Dense) read.features()).x().toArray()).isDeepEqualTo(X);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatIsWrittenIsRead(Kind kind) {
    Path target = folder.resolve("new/four");
    Arena arena = Arena.ofShared();
    boolean weighted = kind == Kind.SPARSE;
    List<String> names = List.of("p/Ä", "p/B$C", "", "p/D");
    try (GraphData given =
        GraphData.of(arena, INFO, ring(arena, weighted))
            .withFeatures(features(arena, kind))
            .withLabels(LABELS)
            .withSplit(SPLIT)
            .withVertexNames(names)
            .withTypes(types(arena, kind))
            .withTimes(times(arena, kind))
            .withEdgeFeatures(edgeFeatures(arena, kind))) {
      DatasetFolder.write(target, given);
      try (GraphData read = DatasetFolder.open(target)) {
        assertThat(read.info()).isEqualTo(INFO);
        assertThat(read.edges()).isEqualTo(4);
        assertThat(read.adjacency().toDense()).isDeepEqualTo(given.adjacency().toDense());
        assertThat(read.adjacency().values() != null).isEqualTo(weighted);
        assertThat(read.labels()).containsExactly(LABELS);
        assertThat(read.split()).containsExactly(SPLIT);
        assertThat(read.vertexNames()).containsExactlyElementsOf(names);
        assertSameTypes(read, given);
        assertSameTimes(read, given);
        assertSameEdgeFeatures(read, given);
        switch (read.features()) {
          case Features.Dense dense -> assertThat(dense.x().toArray()).isDeepEqualTo(X);
          case Features.Sparse sparse -> {
            assertThat(sparse.x().values() == null).isEqualTo(kind == Kind.PATTERN);
            assertThat(sparse.x().toDense())
                .isDeepEqualTo(((Features.Sparse) given.features()).x().toDense());
          }
          case Features.None none -> assertThat(kind).isEqualTo(Kind.NONE);
        }
        assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(given)).hasSize(64);
        assertThat(Fingerprint.of(read.withSplit(new byte[4]))).isEqualTo(Fingerprint.of(read));
      }
    }
  }

  /// None, one type of edges, or two: the ring has 8 entries.
  private static @Nullable GraphTypes types(Arena arena, Kind kind) {
    List<GraphTypes.OfVertices> vertices =
        List.of(new GraphTypes.OfVertices("a", 3), new GraphTypes.OfVertices("Ö", 1));
    return switch (kind) {
      case DENSE -> null;
      case SPARSE -> new GraphTypes(vertices, List.of("e"), null);
      case PATTERN, NONE ->
          new GraphTypes(
              vertices,
              List.of("e", "f"),
              arena.allocateFrom(ValueLayout.JAVA_INT, 1, 2, 3, 1, 1, 1, 2, 3));
    };
  }

  private static void assertSameTypes(GraphData read, GraphData given) {
    GraphTypes expected = given.types();
    GraphTypes found = read.types();
    assertThat(found == null).isEqualTo(expected == null);
    if (expected == null || found == null) {
      return;
    }
    assertThat(found.vertices()).isEqualTo(expected.vertices());
    assertThat(found.edges()).isEqualTo(expected.edges());
    for (int type = 0; type < expected.edges().size(); type++) {
      for (long e = 0; e < given.adjacency().nnz(); e++) {
        assertThat(found.has(e, type)).isEqualTo(expected.has(e, type));
      }
    }
    assertThat(Fingerprint.of(read.withTypes(null))).isNotEqualTo(Fingerprint.of(read));
  }

  /// None, numbers or dates of the entries of the ring, equal in both directions.
  private static @Nullable EdgeTimes times(Arena arena, Kind kind) {
    return switch (kind) {
      case DENSE, PATTERN -> null;
      case SPARSE, NONE ->
          new EdgeTimes(
              kind == Kind.NONE ? EdgeTimes.Unit.DATES : EdgeTimes.Unit.NUMBERS,
              arena.allocateFrom(
                  ValueLayout.JAVA_DOUBLE, 1.5, 1e15, 1.5, -2, -2, 1 / 3.0, 1e15, 1 / 3.0));
    };
  }

  private static void assertSameTimes(GraphData read, GraphData given) {
    EdgeTimes expected = given.times();
    EdgeTimes found = read.times();
    assertThat(found == null).isEqualTo(expected == null);
    if (expected == null || found == null) {
      return;
    }
    assertThat(found.unit()).isEqualTo(expected.unit());
    for (long e = 0; e < given.adjacency().nnz(); e++) {
      assertThat(found.of(e)).isEqualTo(expected.of(e));
    }
    assertThat(Fingerprint.of(read.withTimes(null))).isNotEqualTo(Fingerprint.of(read));
  }

  /// None, or two of the entries of the ring, equal in both directions, with and without names.
  private static @Nullable EdgeFeatures edgeFeatures(Arena arena, Kind kind) {
    float[] ofEdges = {1.5f, -1, 2, 1e-30f};
    int[] edges = {0, 1, 0, 2, 2, 3, 1, 3};
    float[][] x = new float[8][];
    for (int e = 0; e < 8; e++) {
      x[e] = new float[] {ofEdges[edges[e]], edges[e]};
    }
    return switch (kind) {
      case DENSE, SPARSE -> null;
      case PATTERN -> new EdgeFeatures(DenseMatrix.of(arena, x), List.of("amount", "Öl"));
      case NONE -> new EdgeFeatures(DenseMatrix.of(arena, x), List.of());
    };
  }

  private static void assertSameEdgeFeatures(GraphData read, GraphData given) {
    EdgeFeatures expected = given.edgeFeatures();
    EdgeFeatures found = read.edgeFeatures();
    assertThat(found == null).isEqualTo(expected == null);
    if (expected == null || found == null) {
      return;
    }
    assertThat(found.names()).isEqualTo(expected.names());
    assertThat(found.x().toArray()).isDeepEqualTo(expected.x().toArray());
    assertThat(Fingerprint.of(read.withEdgeFeatures(null))).isNotEqualTo(Fingerprint.of(read));
  }

  @Test
  void featuresAreToldInBlocksAndInOrder() {
    int n = 5000;
    int width = 1024;
    long[] next = {0};
    FeatureRows rows =
        new FeatureRows() {
          @Override
          public int width() {
            return width;
          }

          @Override
          public void fill(long begin, DenseMatrix block) {
            assertThat(begin).isEqualTo(next[0]);
            assertThat(block.rows()).isLessThan(n);
            next[0] += block.rows();
            block.fill(0);
            for (long i = 0; i < block.rows(); i++) {
              block.set(i, 3, (float) (begin + i));
            }
          }
        };
    Path target = folder.resolve("streamed");
    Arena arena = Arena.ofConfined();
    CsrMatrix empty = CsrMatrix.of(arena, n, new long[n + 1], new int[0], null);
    try (GraphData graph = GraphData.of(arena, INFO, empty)) {
      DatasetFolder.write(target, graph, rows);
    }
    try (GraphData read = DatasetFolder.open(target)) {
      DenseMatrix x = ((Features.Dense) read.features()).x();
      for (int v = 0; v < n; v++) {
        assertThat(x.get(v, 3)).isEqualTo(v);
      }
      assertThat(read.labels()).isEmpty();
      assertThat(read.split()).isEmpty();
      assertThat(read.vertexNames()).isNull();
    }
  }

  @Test
  void anEarlierDataSetIsReplacedAndOtherFoldersAreNot() throws IOException {
    try (GraphData d = ring()) {
      DatasetFolder.write(folder, d);
      DatasetFolder.write(folder, d.withLabels(new int[0]));
      assertThat(folder.resolve("labels.npy")).doesNotExist();
      Path mine = Files.writeString(folder.resolve("make.py"), "mine");
      assertThatThrownBy(() -> DatasetFolder.write(folder, d))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("found make.py;");
      Files.delete(mine);
      Files.delete(folder.resolve("SHA256SUMS"));
      assertThatThrownBy(() -> DatasetFolder.write(folder, d))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("found col_idx.npy;");
      assertThat(folder.resolve("row_ptr.npy")).exists();
    }
  }

  @Test
  void aFailedWriteLeavesTheEarlierDataSetAndNothingElse() throws IOException {
    Path target = folder.resolve("kept");
    try (Arena arena = Arena.ofConfined();
        GraphData d = ring()) {
      DatasetFolder.write(target, d);
      DenseMatrix x = DenseMatrix.allocate(arena, 4, 5);
      x.set(2, 1, Float.NaN);
      assertThatThrownBy(() -> DatasetFolder.write(target, d, FeatureRows.of(x)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("features: vertex 2, feature 1: expected a finite number, found NaN");
    }
    assertThat(NpyFile.header(target.resolve("labels.npy")).shape()).containsExactly(4L);
    try (Stream<Path> all = Files.list(folder)) {
      assertThat(all).containsExactly(target);
    }
  }

  @Test
  void aFileThatTheChecksumsListIsNotLeftOut() throws IOException {
    Path target = folder.resolve("sums");
    try (GraphData d =
        GraphData.builder(3)
            .edges(new int[] {0, 1}, new int[] {1, 2})
            .labels(0, 1, 0)
            .split(Split.TRAIN, Split.VALIDATION, Split.TEST)
            .build()) {
      DatasetFolder.write(target, d);
    }
    DatasetFolder.verify(target);
    assertThat(target.resolve("SHA256SUMS"))
        .content()
        .matches("([0-9a-f]{64}  [a-z_]+\\.(npy|json)\n){5}");
    Path split = target.resolve("split.npy");
    byte[] bytes = Files.readAllBytes(split);
    bytes[bytes.length - 1] = Split.TRAIN.code();
    Files.write(split, bytes);
    DatasetFolder.open(target).close();
    assertThatThrownBy(() -> DatasetFolder.verify(target))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(split + ": expected the content that SHA256SUMS lists, SHA-256 ");
    Files.delete(split);
    assertThatThrownBy(() -> DatasetFolder.open(target))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            split
                + ": expected a file, as SHA256SUMS lists it, found none; if you removed it on"
                + " purpose, remove its line from SHA256SUMS");
    Files.writeString(
        target.resolve("SHA256SUMS"),
        Files.readString(target.resolve("SHA256SUMS")).replaceAll("(?m)^.*split.npy\n", ""));
    try (GraphData d = DatasetFolder.open(target)) {
      assertThat(d.hasSplit()).isFalse();
    }
  }
}
