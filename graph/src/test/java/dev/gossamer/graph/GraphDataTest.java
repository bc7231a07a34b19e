package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.FeatureRows;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.NpyArray;
import dev.gossamer.graph.format.NpzFile;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.Bter;
import dev.gossamer.graph.generate.DegreeDistribution;
import dev.gossamer.graph.generate.Grid;
import dev.gossamer.graph.generate.Planted;
import dev.gossamer.graph.generate.Rmat;
import dev.gossamer.graph.generate.StochasticBlocks;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Data sets made in memory.
class GraphDataTest {
  @TempDir Path folder;

  private static GraphDataBuilder path() {
    return GraphData.builder(3).name("path").edges(new int[] {0, 1}, new int[] {1, 2});
  }

  @Test
  void aDataSetIsMadeOfArrays() {
    float[][] x = {{1, 2}, {3, 4}, {5, 6}};
    try (GraphData d =
        path()
            .features(x)
            .labels(1, 0, -1)
            .classNames(List.of("no", "yes", "perhaps"))
            .split(Split.TRAIN, Split.TEST, Split.NONE)
            .vertexNames(List.of("a", "b", "c"))
            .build()) {
      assertThat(d.name()).isEqualTo("path");
      assertThat(d.adjacency().toDense())
          .isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(d.adjacency().values()).isNull();
      assertThat(((Features.Dense) d.features()).x().toArray()).isDeepEqualTo(x);
      assertThat(d.labels()).containsExactly(1, 0, -1);
      assertThat(d.classes()).isEqualTo(3);
      assertThat(d.split()).containsExactly(1, 3, 0);
      assertThat(d.vertexNames()).containsExactly("a", "b", "c");
      assertThat(d.isLabelled(0, Split.TRAIN)).isTrue();
      assertThat(d.isLabelled(2, Split.TRAIN)).isFalse();
      DatasetFolder.write(folder.resolve("d"), d);
      try (GraphData read = DatasetFolder.open(folder.resolve("d"))) {
        assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(d));
        assertThat(read.info()).isEqualTo(d.info());
      }
    }
  }

  @Test
  void whatIsNotGivenIsNotThere() {
    try (GraphData d = path().build()) {
      assertThat(d.hasFeatures()).isFalse();
      assertThat(d.hasLabels()).isFalse();
      assertThat(d.hasSplit()).isFalse();
      assertThat(d.classes()).isZero();
      assertThat(d.vertexNames()).isNull();
      assertThat(d.info()).isEqualTo(GraphData.Info.of("path"));
    }
    try (GraphData d = path().features(new float[] {1, 2, 3}, 1).labels(2, 0, 0).build()) {
      assertThat(d.hasFeatures()).isTrue();
      assertThat(d.hasLabels()).isTrue();
      assertThat(d.hasSplit()).isFalse();
      assertThat(d.info().classNames()).containsExactly("0", "1", "2");
      assertThat(d.withSplit(Splits.draw(d, Splits.Fractions.DEFAULT, 0)).hasSplit()).isTrue();
    }
    try (GraphData d = GraphData.builder(0).build()) {
      assertThat(d.vertices()).isZero();
    }
  }

  @Test
  void edgesAreMergedAndSelfLoopsDroppedUnlessTheGraphIsDirected() {
    int[] from = {0, 1, 2, 2, 0};
    int[] to = {1, 0, 2, 1, 1};
    try (GraphData d = GraphData.builder(3).edges(from, to).build();
        GraphData arcs = GraphData.builder(3).directed().edges(from, to).build();
        GraphData weighted = GraphData.builder(3).edges(from, to).weights(1, 2, 4, 8, 16).build()) {
      assertThat(d.edges()).isEqualTo(2);
      assertThat(arcs.info().directed()).isTrue();
      assertThat(arcs.adjacency().toDense())
          .isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 0}, {0, 1, 1}});
      assertThat(weighted.adjacency().toDense())
          .isDeepEqualTo(new float[][] {{0, 19, 0}, {19, 0, 8}, {0, 8, 0}});
    }
  }

  @Test
  void mistakesAreNamed() {
    refused(() -> GraphData.builder(-1), "vertices: expected at least 0, found -1");
    refused(
        () -> path().edges(new int[1], new int[2]),
        "edges: expected as many sources as targets, found 1 and 2");
    refused(
        () -> path().edges(new int[] {0, 3}, new int[] {1, 1}).build(),
        "edges: edge 1: expected vertices in 0..2, found 3 -> 1");
    refused(() -> path().weights(1).build(), "weights: expected 2, found 1");
    refused(
        () -> path().weights(1, Float.NaN).build(),
        "weights: edge 1: expected a finite number, found NaN");
    refused(
        () -> path().features(new float[][] {{1}, {2}, {3, 4}}),
        "features: vertex 2: expected 1 numbers, as vertex 0 has, found 2");
    refused(() -> path().features(new float[5], 2).build(), "features: expected 6, found 5");
    refused(
        () -> path().features(new float[] {0, 0, 0, Float.POSITIVE_INFINITY, 0, 0}, 2).build(),
        "features: vertex 1, feature 1: expected a finite number, found Infinity");
    refused(() -> path().labels(0, 1).build(), "labels: expected 3, found 2");
    refused(
        () -> path().labels(0, 1, -2).build(),
        "labels: vertex 2: expected a class in 0..1, or -1 for none, found -2");
    refused(
        () -> path().labels(0, 1, 2).classNames(List.of("a", "b")).build(),
        "labels: vertex 2: expected a class in 0..1, or -1 for none, found 2");
    refused(
        () -> path().labels(0, 1, 2).classNames(List.of("a", "b", "a")).build(),
        "classNames: expected distinct names, found a twice");
    refused(
        () -> path().labels(0, 1, 2_000_000_000).build(),
        "labels: expected classes in 0..2, as there are no classNames, found 2000000000");
    refused(() -> path().split(Split.TRAIN).build(), "split: expected 3, found 1");
    refused(() -> path().vertexNames(List.of("a")).build(), "vertexNames: expected 3, found 1");
  }

  private static void refused(Supplier<Object> made, String message) {
    assertThatThrownBy(made::get).isInstanceOf(InvalidSettingException.class).hasMessage(message);
  }

  @Test
  void whatDoesNotFitTheGraphIsRefused() {
    try (GraphData d = path().build()) {
      assertThatThrownBy(() -> d.withLabels(new int[2]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("labels: expected one for each of 3 vertices, found 2");
      assertThatThrownBy(() -> d.withSplit(new byte[4]))
          .hasMessage("split: expected one for each of 3 vertices, found 4");
      assertThatThrownBy(() -> d.withVertexNames(List.of()))
          .hasMessage("vertexNames: expected one for each of 3 vertices, found 0");
      assertThatThrownBy(() -> d.withFeatures(new Features.Sparse(wide(Arena.ofAuto()))))
          .hasMessage("features: expected one for each of 3 vertices, found 1");
      assertThatThrownBy(() -> GraphData.of(Arena.ofAuto(), d.info(), wide(Arena.ofAuto())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("adjacency: expected a square matrix");
    }
  }

  /// 1 x 2.
  private static CsrMatrix wide(Arena arena) {
    return CsrMatrix.of(arena, 2, new long[] {0, 1}, new int[] {1}, null);
  }

  @Test
  void viewsShareTheMemoryAndMayBeClosedTwice() {
    GraphData d = path().build();
    GraphData view = d.withLabels(new int[3]);
    assertThat(view.adjacency()).isSameAs(d.adjacency());
    view.close();
    d.close();
    assertThatThrownBy(() -> d.adjacency().rowPointer(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void nothingMayBeNull() {
    GraphDataBuilder builder = path();
    for (Supplier<Object> call :
        List.<Supplier<Object>>of(
            () -> builder.name(none()),
            () -> builder.weights((float[]) none()),
            () -> builder.features((float[]) none(), 1),
            () -> builder.labels((int[]) none()),
            () -> builder.split((Split[]) none()),
            () -> GraphData.of(none(), GraphData.Info.of("x"), wide(Arena.ofAuto())),
            () -> GraphData.of(Arena.ofAuto(), none(), wide(Arena.ofAuto())),
            () -> GraphData.Info.of(none()),
            () -> new Features.Dense(none()),
            () -> new Features.Sparse(none()),
            () -> CsrBuilder.undirected(1).build(none(), sink -> {}),
            () -> new Propagation(none(), false, Normalisation.NONE, false),
            () -> Datasets.open(none()),
            () -> Datasets.recognise(none()),
            () -> Datasets.contentKey(none(), ReadOptions.DEFAULT),
            () -> DatasetFolder.open(none()),
            () -> GraphFormat.named(none()),
            () -> NpzFile.open(none()),
            () -> NpyArray.read(none(), Path.of("x")),
            () -> Fingerprint.of(none()),
            () -> FeatureRows.of(none()),
            () -> Splits.draw(none(), Splits.Fractions.DEFAULT, 0),
            () -> Splits.Fractions.parse(none()),
            () -> ReadOptions.DEFAULT.withProgress(none()),
            () -> new DatasetCache(none()),
            () -> Planted.DEFAULT.withFractions(none()),
            () -> Rmat.of(99).withQuadrants(none()),
            () -> Rmat.of(99).withPlanted(none()),
            () -> StochasticBlocks.of(99).withPlanted(none()),
            () -> Grid.of(9, 9).withBorder(none()),
            () -> Grid.of(9, 9).withPlanted(none()),
            () -> Bter.of(none()),
            () -> DegreeDistribution.ofCounts(none()))) {
      assertThatThrownBy(call::get)
          .isInstanceOf(NullPointerException.class)
          .hasMessageMatching("[a-z]+");
    }
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T none() {
    return null;
  }
}
