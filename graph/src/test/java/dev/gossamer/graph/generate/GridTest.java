package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.graph.GraphData;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GridTest {
  private static final Planted GRAPH = Planted.DEFAULT.withFeatures(0);

  @Test
  void aSmallGridIsAsDrawn() {
    // 0 - 1 - 2
    // |   |   |
    // 3 - 4 - 5
    try (GraphData d = Grid.of(2, 3).withPlanted(GRAPH).build()) {
      int[][] rows = {{1, 3}, {0, 2, 4}, {1, 5}, {0, 4}, {1, 3, 5}, {2, 4}};
      for (int v = 0; v < 6; v++) {
        assertThat(d.adjacency().rowColumns(v)).isEqualTo(rows[v]);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "1, 7", "7, 1", "5, 8"})
  void theOpenGridHasItsEdges(int rows, int cols) {
    try (GraphData d = Grid.of(rows, cols).withPlanted(GRAPH).build()) {
      assertThat(d.edges()).isEqualTo((long) (rows - 1) * cols + rows * (cols - 1L));
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 3", "3, 7", "6, 4"})
  void everyCellOfATorusHasFourNeighbours(int rows, int cols) {
    try (GraphData d =
        Grid.of(rows, cols).withBorder(Grid.Border.TORUS).withPlanted(GRAPH).build()) {
      assertThat(d.edges()).isEqualTo(2L * rows * cols);
      assertThat(IntStream.range(0, rows * cols).mapToLong(d.adjacency()::rowLength))
          .containsOnly(4L);
      assertThat(d.adjacency().rowColumns(0)).containsExactly(1, cols - 1, cols, (rows - 1) * cols);
    }
  }

  @Test
  void squaresShareAClass() {
    Grid g = Grid.of(25, 33).withPlanted(GRAPH.withClasses(1000).withSeed(4));
    int[] labels = g.labels();
    for (int v = 0; v < labels.length; v++) {
      int corner = v / 33 / 10 * 10 * 33 + v % 33 / 10 * 10;
      assertThat(labels[v]).isEqualTo(labels[corner]);
    }
    // Twelve squares draw from a thousand classes: that two agree has a probability of 6.6 %, and
    // this seed is not such a case.
    assertThat(IntStream.of(labels).distinct()).hasSize(12);
  }
}
