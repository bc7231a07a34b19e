package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NegativesTest {
  private static final int VERTICES = 40;
  private static final int DRAWS = 20_000;

  private final Arena arena = Arena.ofConfined();
  private final Philox philox = Philox.keyed(5, 1, 2);

  @AfterEach
  void close() {
    arena.close();
  }

  /// Vertex 0 has edges to the first half, and there is a ring.
  private GraphData graph(boolean directed) {
    CsrBuilder builder = new CsrBuilder(VERTICES, !directed, false, false);
    CsrMatrix adjacency =
        builder.build(
            arena,
            sink -> {
              for (int v = 1; v < VERTICES / 2; v++) {
                sink.arc(0, v, 1);
              }
              for (int v = 0; v < VERTICES; v++) {
                sink.arc(v, (v + 1) % VERTICES, 1);
              }
            });
    GraphData.Info info = GraphData.Info.of("star");
    return GraphData.of(arena, directed ? info.asDirected() : info, adjacency);
  }

  @ParameterizedTest
  @EnumSource
  void aPairHasNoEdge(Negatives.By by) {
    GraphData data = graph(false);
    Negatives negatives = new Negatives(data, data.adjacency(), by);
    for (int k = 0; k < 2000; k++) {
      int other = negatives.instead(philox, 3, 4, 9, k);
      assertThat(other).isNotEqualTo(3);
      assertThat(data.adjacency().find(3, other)).isNegative();
    }
  }

  @Test
  void eitherEndIsReplacedUnlessEdgesHaveADirection() {
    GraphData data = graph(false);
    Negatives negatives = new Negatives(data, data.adjacency(), Negatives.By.UNIFORM);
    int sources = 0;
    for (int edge = 0; edge < DRAWS; edge++) {
      sources += negatives.replacesSource(philox, edge, 3, 4) ? 1 : 0;
    }
    // Five standard deviations.
    assertThat(sources / (double) DRAWS).isCloseTo(0.5, within(5 * 0.5 / Math.sqrt(DRAWS)));
    GraphData directed = graph(true);
    Negatives targets = new Negatives(directed, directed.adjacency(), Negatives.By.UNIFORM);
    for (int edge = 0; edge < 100; edge++) {
      assertThat(targets.replacesSource(philox, edge, 3, 4)).isFalse();
    }
  }

  @Test
  void aVertexIsReplacedByOneOfItsType() {
    GraphData data = graph(true).withTypes(types("user", 15, "item", 25));
    for (Negatives.By by : Negatives.By.values()) {
      Negatives negatives = new Negatives(data, data.adjacency(), by);
      for (int k = 0; k < 200; k++) {
        assertThat(negatives.instead(philox, 2, 30, 0, k)).isBetween(15, 39);
        assertThat(negatives.instead(philox, 30, 2, 0, k)).isBetween(0, 14);
      }
    }
  }

  @Test
  void verticesAreDrawnEquallyOrByTheirEdges() {
    GraphData data = graph(true);
    CsrMatrix a = data.adjacency();
    int[] into = new int[VERTICES];
    for (long e = 0; e < a.nnz(); e++) {
      into[a.column(e)]++;
    }
    for (Negatives.By by : Negatives.By.values()) {
      Negatives negatives = new Negatives(data, a, by);
      double[] drawn = new double[VERTICES];
      for (int k = 0; k < DRAWS; k++) {
        drawn[negatives.instead(philox, 30, 31, 0, k)]++;
      }
      double total = 0;
      double[] weights = new double[VERTICES];
      for (int v = 0; v < VERTICES; v++) {
        boolean possible = v != 30 && a.find(30, v) < 0;
        weights[v] = !possible ? 0 : by == Negatives.By.UNIFORM ? 1 : into[v];
        total += weights[v];
      }
      for (int v = 0; v < VERTICES; v++) {
        double p = weights[v] / total;
        assertThat(drawn[v] / DRAWS)
            .as("%s, vertex %d", by, v)
            .isCloseTo(p, within(6 * Math.sqrt(p * (1 - p) / DRAWS)));
      }
    }
  }

  @Test
  void aDrawDependsOnItsNumbersAlone() {
    GraphData data = graph(false);
    Negatives negatives = new Negatives(data, data.adjacency(), Negatives.By.UNIFORM);
    int other = negatives.instead(philox, 3, 4, 9, 1);
    assertThat(negatives.instead(Philox.keyed(5, 1, 2), 3, 4, 9, 1)).isEqualTo(other);
    long others = 0;
    for (int k = 2; k < 50; k++) {
      others += negatives.instead(philox, 3, 4, 9, k) == other ? 0 : 1;
    }
    assertThat(others).isGreaterThan(30);
  }

  /// Each pair of different vertices without an edge with the same probability, in either
  /// direction.
  @Test
  void sharedPairsAreUniformAndHaveNoEdge() {
    GraphData data = graph(false);
    CsrMatrix a = data.adjacency();
    Negatives negatives = new Negatives(data, a, Negatives.By.UNIFORM);
    Links links = new Links(new int[] {0, 1}, new int[] {2, 3}, new byte[0]);
    Map<Long, Integer> drawn = new HashMap<>();
    for (int k = 0; k < DRAWS; k++) {
      long pair = negatives.shared(philox, links, k);
      assertThat(negatives.shared(Philox.keyed(5, 1, 2), links, k)).isEqualTo(pair);
      assertThat(pair >>> 32).isNotEqualTo(pair & 0xffffffffL);
      assertThat(a.find(pair >>> 32, (int) pair)).isNegative();
      drawn.merge(pair, 1, Integer::sum);
    }
    long n = data.vertices();
    long possible = n * n - a.nnz() - n + SelfLoops.count(a);
    double p = 1.0 / possible;
    for (int count : drawn.values()) {
      assertThat(count / (double) DRAWS).isCloseTo(p, within(6 * Math.sqrt(p * (1 - p) / DRAWS)));
    }
    assertThat((long) drawn.size()).isEqualTo(possible);
  }

  /// Vertex 0 has edges with all vertices of the other type but three.
  @ParameterizedTest
  @EnumSource
  void fewVerticesWithoutAnEdgeAreFound(Negatives.By by) {
    int each = 30_000;
    List<Integer> others = List.of(each, each + 17, 2 * each - 1);
    CsrMatrix adjacency =
        CsrBuilder.undirected(2 * each)
            .build(
                arena,
                sink -> {
                  for (int v = each; v < 2 * each; v++) {
                    sink.arc(others.contains(v) ? 1 : 0, v, 1);
                  }
                });
    GraphData data =
        GraphData.of(arena, GraphData.Info.of("hub"), adjacency)
            .withTypes(types("user", each, "item", each));
    Negatives negatives = new Negatives(data, adjacency, by);
    Map<Integer, Integer> drawn = new HashMap<>();
    int draws = 3000;
    for (int k = 0; k < draws; k++) {
      drawn.merge(negatives.instead(philox, 0, each + 1, 0, k), 1, Integer::sum);
    }
    assertThat(drawn.keySet()).hasSameElementsAs(others);
    for (int count : drawn.values()) {
      // Five standard deviations.
      double p = 1.0 / 3;
      assertThat(count / (double) draws).isCloseTo(p, within(5 * Math.sqrt(p * (1 - p) / draws)));
    }
  }

  /// One arc in some thousands is into the second type.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void verticesOfARareTypeAreDrawnByTheirEdges(boolean directed) {
    int users = 5000;
    CsrMatrix adjacency =
        new CsrBuilder(users + 3, !directed, false, false)
            .build(
                arena,
                sink -> {
                  for (int v = 0; v < users; v++) {
                    sink.arc(v, (v + 1) % users, 1);
                    sink.arc(v, (v + 2) % users, 1);
                  }
                  sink.arc(1, users, 1);
                  sink.arc(2, users + 1, 1);
                  sink.arc(3, users + 1, 1);
                  sink.arc(4, users + 1, 1);
                });
    GraphData.Info info = GraphData.Info.of("rare");
    GraphData data =
        GraphData.of(arena, directed ? info.asDirected() : info, adjacency)
            .withTypes(types("user", users, "item", 3));
    Negatives negatives = new Negatives(data, adjacency, Negatives.By.DEGREE);
    int few = 0;
    int draws = 2000;
    for (int k = 0; k < draws; k++) {
      int other = negatives.instead(philox, 100, users, 0, k);
      assertThat(other).isBetween(users, users + 1);
      few += other == users ? 1 : 0;
    }
    // Five standard deviations.
    assertThat(few / (double) draws).isCloseTo(0.25, within(5 * Math.sqrt(.25 * .75 / draws)));
  }

  private static GraphTypes types(String first, int count, String second, int others) {
    return new GraphTypes(
        List.of(new GraphTypes.OfVertices(first, count), new GraphTypes.OfVertices(second, others)),
        List.of("bought"),
        null);
  }

  @Test
  void theEndThatHasEdgesWithAllOthersIsReplaced() {
    CsrMatrix wheel =
        CsrBuilder.undirected(4)
            .build(
                arena,
                sink -> {
                  for (int v = 2; v < 4; v++) {
                    sink.arc(0, v, 1);
                    sink.arc(1, v, 1);
                  }
                  sink.arc(0, 1, 1);
                });
    GraphData data = GraphData.of(arena, GraphData.Info.of("wheel"), wheel);
    Negatives negatives = new Negatives(data, wheel, Negatives.By.UNIFORM);
    for (int edge = 0; edge < 20; edge++) {
      assertThat(negatives.replacesSource(philox, edge, 0, 2)).isTrue();
      assertThat(negatives.replacesSource(philox, edge, 2, 0)).isFalse();
    }
    assertThat(negatives.instead(philox, 2, 0, 0, 0)).isEqualTo(3);
    assertThat(Negatives.areThereFor(data, 0, 2)).isTrue();
    assertThat(Negatives.areThereFor(data, 0, 1)).isFalse();
    assertThatThrownBy(() -> negatives.instead(philox, 0, 1, 0, 0))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "no pair without an edge found against the edge between 0 and 1: vertex 0 has edges with all vertices of the type of vertex 1");
    Links links = new Links(new int[] {0}, new int[] {2}, new byte[0]);
    assertThat(negatives.shared(philox, links, 0)).isIn(2L << 32 | 3, 3L << 32 | 2);
  }

  /// All pairs have an edge but two.
  @ParameterizedTest
  @EnumSource(Negatives.By.class)
  void theOnlyPairsWithoutAnEdgeAreFound(Negatives.By by) {
    int n = 600;
    CsrMatrix nearlyFull =
        CsrBuilder.undirected(n)
            .build(
                arena,
                sink -> {
                  for (int v = 0; v < n; v++) {
                    for (int u = v + 1; u < n; u++) {
                      if (v != 7 || (u != 11 && u != 500)) {
                        sink.arc(v, u, 1);
                      }
                    }
                  }
                });
    GraphData data = GraphData.of(arena, GraphData.Info.of("nearly full"), nearlyFull);
    Negatives negatives = new Negatives(data, nearlyFull, by);
    Set<Integer> found = new HashSet<>();
    for (int k = 0; k < 20; k++) {
      found.add(negatives.instead(philox, 7, 8, 0, k));
    }
    assertThat(found).containsExactlyInAnyOrder(11, 500);
    Links links = new Links(new int[] {7}, new int[] {8}, new byte[0]);
    for (int k = 0; k < 3; k++) {
      long pair = negatives.shared(philox, links, k);
      long source = pair >>> Integer.SIZE;
      assertThat(nearlyFull.find(source, (int) pair)).isNegative();
      assertThat(source).isNotEqualTo(pair & 0xFFFF_FFFFL);
    }
  }

  @Test
  void bothDirectionsOfAPairCanBeComparedOrNeither() {
    CsrMatrix star =
        new CsrBuilder(5, false, false, false)
            .build(
                arena,
                sink -> {
                  for (int v = 1; v < 5; v++) {
                    sink.arc(0, v, 1);
                  }
                  sink.arc(1, 0, 1);
                  sink.arc(1, 2, 1);
                });
    GraphData data = GraphData.of(arena, GraphData.Info.of("star").asDirected(), star);
    assertThat(Negatives.areThereFor(data, 0, 1)).isFalse();
    assertThat(Negatives.areThereFor(data, 1, 0)).isFalse();
    assertThat(Negatives.areThereFor(data, 1, 2)).isTrue();
  }
}
