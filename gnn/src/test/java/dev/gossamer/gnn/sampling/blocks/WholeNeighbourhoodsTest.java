package dev.gossamer.gnn.sampling.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.gnn.sampling.SmallGraph;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WholeNeighbourhoodsTest {
  private static final int N = 50;

  /// Entry `(i, j)` of a block is that of its target's row and its source's column in `Â`, and no
  /// entry of the row is left out.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBlockHasAllEntriesOfItsRows(boolean weighted) {
    CsrMatrix a = SmallGraph.random(N, 300, 4, true, weighted);
    float[][] whole = a.toDense();
    WholeNeighbourhoods neighbourhoods = new WholeNeighbourhoods(AdjacencyRows.whole(a));
    try (Arena arena = Arena.ofShared()) {
      for (int[] targets : new int[][] {{7, 3, 49, 20}, {}, {0, 1, 2}}) {
        SampledBlock block = neighbourhoods.block(arena, targets);
        assertThat(block.destinations()).isEqualTo(targets.length);
        assertThat(Arrays.copyOf(block.sources(), targets.length)).isEqualTo(targets);
        float[][] found = block.matrix().toDense();
        for (int i = 0; i < targets.length; i++) {
          float[] row = new float[N];
          for (int j = 0; j < block.sources().length; j++) {
            row[block.sources()[j]] += found[i][j];
          }
          assertThat(row).isEqualTo(whole[targets[i]]);
        }
      }
    }
  }
}
