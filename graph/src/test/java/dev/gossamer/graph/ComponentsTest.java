package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComponentsTest {
  private static Components of(int vertices, int[][] arcs, boolean directed) {
    int[] from = new int[arcs.length];
    int[] to = new int[arcs.length];
    for (int i = 0; i < arcs.length; i++) {
      from[i] = arcs[i][0];
      to[i] = arcs[i][1];
    }
    GraphDataBuilder builder = GraphData.builder(vertices).edges(from, to);
    try (GraphData d = (directed ? builder.directed() : builder).build()) {
      return Components.of(d.adjacency(), Progress.SILENT);
    }
  }

  @Test
  void isolatedVerticesAreComponents() {
    assertThat(of(5, new int[][] {}, false)).isEqualTo(new Components(5, 1));
    assertThat(of(5, new int[][] {{4, 2}}, false)).isEqualTo(new Components(4, 2));
    assertThat(of(1, new int[][] {}, false)).isEqualTo(new Components(1, 1));
  }

  /// Neither end of the middle arc reaches the other along the directions.
  @Test
  void directionsDoNotCount() {
    int[][] arcs = {{0, 1}, {2, 1}, {2, 3}, {5, 4}, {5, 5}};
    assertThat(of(6, arcs, true)).isEqualTo(new Components(2, 4));
  }

  @Test
  void aLongPathInAnyOrderIsOne() {
    int n = 30_000;
    int[][] arcs = new int[n - 1][];
    for (int i = 0; i < n - 1; i++) {
      arcs[i] = new int[] {i % 2 == 0 ? i : n - i, i % 2 == 0 ? n - i - 1 : i};
    }
    assertThat(of(n, arcs, false)).isEqualTo(searched(n, arcs));
    int[][] path = new int[n - 1][];
    for (int i = 0; i < n - 1; i++) {
      path[i] = new int[] {n - 1 - i, n - 2 - i};
    }
    assertThat(of(n, path, true)).isEqualTo(new Components(1, n));
  }

  @ParameterizedTest
  @CsvSource({"10, 5, 1", "100, 60, 2", "1000, 500, 3", "1000, 900, 4", "2000, 4000, 5"})
  void areThoseThatASearchFinds(int vertices, int edges, long seed) {
    Random random = new Random(seed);
    int[][] arcs = new int[edges][];
    for (int i = 0; i < edges; i++) {
      arcs[i] = new int[] {random.nextInt(vertices), random.nextInt(vertices)};
    }
    Components expected = searched(vertices, arcs);
    assertThat(of(vertices, arcs, false)).as("seed %d", seed).isEqualTo(expected);
    assertThat(of(vertices, arcs, true)).as("seed %d, directed", seed).isEqualTo(expected);
  }

  /// A breadth-first search from each vertex that was not found yet.
  private static Components searched(int vertices, int[][] arcs) {
    List<List<Integer>> neighbours = new ArrayList<>();
    for (int v = 0; v < vertices; v++) {
      neighbours.add(new ArrayList<>());
    }
    for (int[] arc : arcs) {
      neighbours.get(arc[0]).add(arc[1]);
      neighbours.get(arc[1]).add(arc[0]);
    }
    boolean[] found = new boolean[vertices];
    int count = 0;
    int largest = 0;
    for (int start = 0; start < vertices; start++) {
      if (found[start]) {
        continue;
      }
      count++;
      int size = 0;
      Deque<Integer> queue = new ArrayDeque<>(List.of(start));
      found[start] = true;
      while (!queue.isEmpty()) {
        size++;
        for (int next : neighbours.get(queue.remove())) {
          if (!found[next]) {
            found[next] = true;
            queue.add(next);
          }
        }
      }
      largest = Math.max(largest, size);
    }
    return new Components(count, largest);
  }
}
