package dev.gossamer.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class TileBalanceTest {
  @Test
  void countsTheEntriesOfEachTile() {
    SpreadGraph graph = SpreadGraph.of(40, 150, true, false, 3);
    Placement placement = graph.unevenPlacement(5, 8);
    CsrMatrix a = graph.rule().a();
    long[][] expected = new long[5][5];
    int[] owners = placement.owners();
    for (int v = 0; v < 40; v++) {
      for (int u : a.rowColumns(v)) {
        expected[owners[v]][owners[u]]++;
      }
    }
    TileBalance balance = TileBalance.of(a, placement);
    long mostInRow = 0;
    long mostInTile = 0;
    for (int i = 0; i < 5; i++) {
      long row = 0;
      long column = 0;
      for (int q = 0; q < 5; q++) {
        assertThat(balance.entries(i, q)).isEqualTo(expected[i][q]);
        row += expected[i][q];
        column += expected[q][i];
        mostInTile = Math.max(mostInTile, expected[i][q]);
      }
      assertThat(balance.entries(i)).isEqualTo(Math.max(row, column));
      mostInRow = Math.max(mostInRow, row);
    }
    assertThat(balance.fullestRow()).isCloseTo(5.0 * mostInRow / a.nnz(), within(1e-12));
    assertThat(balance.fullestTile()).isCloseTo(25.0 * mostInTile / a.nnz(), within(1e-12));
  }

  @Test
  void aGraphWithoutEdgesIsBalanced() {
    CsrMatrix none = CsrMatrix.of(Arena.ofAuto(), 3, new long[4], new int[0], null);
    TileBalance balance = TileBalance.of(none, Placement.block(3, 2));
    assertThat(balance.fullestRow()).isEqualTo(1);
    assertThat(balance.fullestTile()).isEqualTo(1);
  }
}
