package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
      sources += negatives.replacesSource(philox, edge) ? 1 : 0;
    }
    // Five standard deviations.
    assertThat(sources / (double) DRAWS).isCloseTo(0.5, within(5 * 0.5 / Math.sqrt(DRAWS)));
    GraphData directed = graph(true);
    Negatives targets = new Negatives(directed, directed.adjacency(), Negatives.By.UNIFORM);
    for (int edge = 0; edge < 100; edge++) {
      assertThat(targets.replacesSource(philox, edge)).isFalse();
    }
  }

  @Test
  void aVertexIsReplacedByOneOfItsType() {
    GraphTypes types =
        new GraphTypes(
            List.of(new GraphTypes.OfVertices("user", 15), new GraphTypes.OfVertices("item", 25)),
            List.of("bought"),
            null);
    GraphData data = graph(true).withTypes(types);
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

  @Test
  void aCompleteGraphIsRefused() {
    CsrMatrix complete =
        CsrBuilder.undirected(5)
            .build(
                arena,
                sink -> {
                  for (int v = 0; v < 5; v++) {
                    for (int u = 0; u < v; u++) {
                      sink.arc(v, u, 1);
                    }
                  }
                });
    GraphData data = GraphData.of(arena, GraphData.Info.of("complete"), complete);
    assertThatThrownBy(() -> new Negatives(data, complete, Negatives.By.UNIFORM))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("an edge between all pairs of 5 vertices");
  }

  @Test
  void anEdgeWhoseEndsKnowEverybodyIsRefused() {
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
    assertThatThrownBy(() -> negatives.instead(philox, 0, 1, 0, 0))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("no pair without an edge found in 4,000 draws");
    assertThat(negatives.instead(philox, 2, 0, 0, 0)).isEqualTo(3);
    Links links = new Links(new int[] {0}, new int[] {2}, new byte[0]);
    assertThat(negatives.shared(philox, links, 0)).isIn(2L << 32 | 3, 3L << 32 | 2);
  }
}
