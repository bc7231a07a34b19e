package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EdgeFeaturesTest {
  private static final float[] X = {5, 0, 3, 6, 4, 0, -1, 1, 9, 9};

  /// The edges 0-1 three times, once against their direction, 1-2, and a loop.
  private static GraphDataBuilder builder() {
    return GraphData.builder(3)
        .edges(new int[] {0, 1, 0, 1, 2}, new int[] {1, 0, 1, 2, 2})
        .edgeFeatures(X, 2)
        .edgeFeatureNames(List.of("amount", "kind"));
  }

  private static EdgeFeatures of(GraphData d) {
    return Objects.requireNonNull(d.edgeFeatures());
  }

  private static List<String> arcs(GraphData d) {
    CsrMatrix a = d.adjacency();
    List<String> arcs = new ArrayList<>();
    for (int v = 0; v < d.vertices(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        float[] row = of(d).x().rows(e, e + 1).toArray()[0];
        arcs.add("%d-%d: %s".formatted(v, a.column(e), Arrays.toString(row)));
      }
    }
    return arcs;
  }

  @Test
  void repeatedEdgesHaveTheMeansOfTheirFeatures() {
    try (GraphData undirected = builder().build();
        GraphData directed = builder().directed().build()) {
      assertThat(arcs(undirected))
          .containsExactly(
              "0-1: [4.0, 2.0]", "1-0: [4.0, 2.0]", "1-2: [-1.0, 1.0]", "2-1: [-1.0, 1.0]");
      assertThat(arcs(directed))
          .containsExactly(
              "0-1: [4.5, 0.0]", "1-0: [3.0, 6.0]", "1-2: [-1.0, 1.0]", "2-2: [9.0, 9.0]");
      assertThat(of(directed).names()).containsExactly("amount", "kind");
    }
  }

  /// Against sums by pair, of a graph with many repeats.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachEntryHasTheMeanOfItsArcs(boolean isDirected) {
    Random random = new Random(3);
    int n = 9;
    int m = 200;
    int[] from = random.ints(m, 0, n).toArray();
    int[] to = random.ints(m, 0, n).toArray();
    float[] x = new float[m];
    for (int e = 0; e < m; e++) {
      x[e] = random.nextFloat();
    }
    GraphDataBuilder all = GraphData.builder(n).edges(from, to).edgeFeatures(x, 1);
    try (GraphData d = (isDirected ? all.directed() : all).build()) {
      CsrMatrix a = d.adjacency();
      for (int v = 0; v < n; v++) {
        for (long entry = a.rowPointer(v); entry < a.rowPointer(v + 1L); entry++) {
          int u = a.column(entry);
          double sum = 0;
          int count = 0;
          for (int e = 0; e < m; e++) {
            boolean same = from[e] == v && to[e] == u;
            boolean back = !isDirected && from[e] == u && to[e] == v;
            if (same || back) {
              sum += x[e];
              count++;
            }
          }
          // A sum of `count` numbers of at most 1, and a division.
          assertThat((double) of(d).x().get(entry, 0)).isCloseTo(sum / count, offset(count * 1e-7));
          assertThat(of(d).x().get(entry, 0))
              .isEqualTo(of(d).x().get(isDirected ? entry : a.find(u, v), 0));
        }
      }
    }
  }

  @Test
  void groupsHaveTheirOwnArcs() {
    try (GraphData d = builder().build();
        Arena arena = Arena.ofConfined();
        EdgeFeatureMeans means = new EdgeFeatureMeans(arena, d.adjacency(), false, 3)) {
      add(means, d, 1, 0, 0, 2);
      add(means, d, 0, 1, 0, 4);
      means.mark(2);
      means.endGroup(0, 1);
      add(means, d, 1, 0, 1, 8);
      add(means, d, 1, 2, 1, 7);
      add(means, d, 2, 2, 1, 6);
      means.endGroup(1, 2);
      assertThat(means.features().toArray())
          .isDeepEqualTo(new float[][] {{3, 8, 1}, {3, 8, 1}, {0, 7, 0}, {0, 7, 0}});
    }
  }

  private static void add(
      EdgeFeatureMeans means, GraphData d, int source, int target, int feature, float value) {
    long entry = EdgeFeatureMeans.entry(d.adjacency(), false, source, target);
    means.add(entry);
    means.add(entry, feature, value);
  }

  @Test
  void copiesKeepFeaturesUnlessTheirEdgesAreOthers() {
    try (GraphData data = builder().build();
        Arena arena = Arena.ofConfined()) {
      EdgeFeatures features = of(data);
      assertThat(data.withSplit(new byte[3]).withTypes(null).withTimes(null).edgeFeatures())
          .isSameAs(features);
      assertThat(data.withEdgeFeatures(null).edgeFeatures()).isNull();
      assertThat(data.graphSegments()).contains(features.x().data());
      EdgeFeatures few = new EdgeFeatures(DenseMatrix.allocate(arena, 3, 1), List.of());
      assertThatThrownBy(() -> data.withEdgeFeatures(few))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("edgeFeatures: expected those of 4 entries, found 3");
      assertThatThrownBy(() -> new EdgeFeatures(features.x(), List.of("one")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> new EdgeFeatures(DenseMatrix.allocate(arena, 4, 0), List.of()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /// The graph that messages pass over has the rows of its own edges.
  @Test
  void featuresStayWithTheirEdgesWhenSomeAreHeldOut() {
    Random random = new Random(1);
    int n = 40;
    int m = 300;
    int[] from = random.ints(m, 0, n).toArray();
    int[] to = random.ints(m, 0, n).toArray();
    float[] x = new float[m];
    for (int e = 0; e < m; e++) {
      x[e] = n * Math.min(from[e], to[e]) + Math.max(from[e], to[e]);
    }
    try (GraphData d = GraphData.builder(n).edges(from, to).edgeFeatures(x, 1).build();
        Arena arena = Arena.ofConfined()) {
      LinkSplit split = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.3, 7);
      LinkSplit.Parts parts = split.of(arena, d);
      CsrMatrix a = parts.messages();
      assertThat(a.nnz()).isPositive().isLessThan(d.adjacency().nnz());
      DenseMatrix kept = Objects.requireNonNull(parts.messageFeatures()).x();
      assertThat(kept.rows()).isEqualTo(a.nnz());
      for (int v = 0; v < n; v++) {
        for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
          int u = a.column(e);
          assertThat(kept.get(e, 0)).isEqualTo(n * Math.min(u, v) + Math.max(u, v));
        }
      }
    }
  }

  @Test
  void featuresOfArraysAreChecked() {
    refused(builder().edgeFeatures(new float[9], 2), "edgeFeatures: expected 10, found 9");
    refused(builder().edgeFeatureNames(List.of("a")), "edgeFeatureNames: expected 2, found 1");
    float[] wrong = X.clone();
    wrong[5] = Float.NaN;
    refused(
        builder().edgeFeatures(wrong, 2),
        "edgeFeatures: edge 2, feature 1: expected a finite number, found NaN");
  }

  private static void refused(GraphDataBuilder builder, String message) {
    assertThatThrownBy(builder::build)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(message);
  }
}
