package dev.gossamer.gnn.sampling.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.gnn.sampling.SmallGraph;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SampledNeighbourhoodsTest {
  private static final int N = 40;

  /// A star around vertex 0, and a path through all.
  private static final int[][] EDGES =
      IntStream.range(1, N)
          .boxed()
          .flatMap(v -> List.of(new int[] {0, v}, new int[] {v, v % (N - 1) + 1}).stream())
          .filter(edge -> edge[0] != edge[1])
          .toArray(int[][]::new);

  private final CsrMatrix a = SmallGraph.undirected(N, EDGES, Normalisation.SYMMETRIC, true);
  private final AdjacencyRows rows = AdjacencyRows.whole(a);
  private final int[] all = IntStream.range(0, N).toArray();

  @Test
  void enoughNeighboursAreTheRowsThemselves() {
    SampledBlock whole = new WholeNeighbourhoods(rows).block(Arena.ofAuto(), 0, all);
    SampledBlock drawn =
        new SampledNeighbourhoods(rows, List.of(N - 1, N), 7).block(Arena.ofAuto(), 1, all);
    assertThat(drawn.sources()).isEqualTo(whole.sources());
    assertThat(drawn.matrix().toDense()).isDeepEqualTo(whole.matrix().toDense());
  }

  @Test
  void aVertexKeepsItsLoopAndAsManyOthersAsItMay() {
    SampledNeighbourhoods sampled = new SampledNeighbourhoods(rows, List.of(3, 5), 7);
    for (int l = 0; l < 2; l++) {
      int most = l == 0 ? 5 : 3;
      SampledBlock block = sampled.block(Arena.ofAuto(), l, all);
      float[][] dense = block.matrix().toDense();
      for (int v = 0; v < N; v++) {
        int others = (int) a.rowLength(v) - 1;
        assertThat(block.matrix().rowLength(v)).isEqualTo(1 + Math.min(most, others));
        assertThat(dense[v][v]).isEqualTo(a.toDense()[v][v]);
      }
    }
  }

  /// Which rows are asked for together changes nothing; layer and seed do.
  @Test
  void aSampleIsKnownBySeedLayerAndVertex() {
    SampledNeighbourhoods sampled = new SampledNeighbourhoods(rows, List.of(3, 3), 7);
    int[] hub = neighbours(sampled, 0, all);
    assertThat(neighbours(sampled, 0, new int[] {5, 0})).isEqualTo(hub);
    assertThat(neighbours(sampled, 1, all)).isNotEqualTo(hub);
    assertThat(neighbours(new SampledNeighbourhoods(rows, List.of(3, 3), 8), 0, all))
        .isNotEqualTo(hub);
  }

  /// What vertex 0 sees.
  private static int[] neighbours(SampledNeighbourhoods sampled, int l, int[] vertices) {
    SampledBlock block = sampled.block(Arena.ofAuto(), l, vertices);
    int row =
        IntStream.range(0, vertices.length).filter(i -> vertices[i] == 0).findFirst().orElse(-1);
    return Arrays.stream(block.matrix().rowColumns(row))
        .map(j -> block.sources()[j])
        .sorted()
        .toArray();
  }
}
