package dev.gossamer.gnn.inference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TilesTest {
  /// Against sets of vertices, tile by tile, in the order of the data set and in another.
  @ParameterizedTest
  @CsvSource({"1, 1000, false", "1, 7, true", "3, 5, false", "4, 11, true", "50, 2, false"})
  void countsWhatTilesReferTo(int blocks, int rows, boolean directed) {
    try (GraphData data = SmallGraphs.of(50, 4, directed, false, 3);
        Arena arena = Arena.ofConfined()) {
      RowTiles tiles = new RowTiles(data.adjacency());
      CsrMatrix incoming = data.adjacency().transpose(arena);
      for (Placement placement :
          List.of(Placement.block(50, blocks), Placement.random(50, blocks, 1))) {
        assertThat(tiles.largest(placement, rows)).isEqualTo(naive(incoming, placement, rows));
      }
    }
  }

  private static List<RowTiles.Tile> naive(CsrMatrix incoming, Placement placement, int rows) {
    RowDistribution cut = placement.distribution();
    List<RowTiles.Tile> largest = new ArrayList<>();
    for (int block = 0; block < cut.blocks(); block++) {
      long sources = 0;
      long remote = 0;
      long entries = 0;
      for (int begin = cut.begin(block); begin < cut.end(block); begin += rows) {
        BitSet seen = new BitSet();
        long count = 0;
        for (int row = begin; row < Math.min(cut.end(block), begin + rows); row++) {
          int v = placement.oldId(row);
          seen.set(row);
          for (int u : incoming.rowColumns(v)) {
            seen.set(placement.newId(u));
            count++;
          }
        }
        int inside = seen.get(cut.begin(block), cut.end(block)).cardinality();
        sources = Math.max(sources, seen.cardinality());
        remote = Math.max(remote, seen.cardinality() - inside);
        entries = Math.max(entries, count);
      }
      largest.add(new RowTiles.Tile(sources, remote, entries));
    }
    return largest;
  }
}
