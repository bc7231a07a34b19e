package dev.gossamer.gnn.inference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import java.util.BitSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TilesTest {
  /// Against sets of vertices, tile by tile.
  @ParameterizedTest
  @CsvSource({"1, 1000", "1, 7", "3, 5", "4, 11", "60, 2"})
  void countsWhatTilesReferTo(int blocks, int rows) {
    try (GraphData data = SmallGraphs.of(50, 4, false, false, 3)) {
      CsrMatrix a = data.adjacency();
      RowDistribution cut = RowDistribution.even(50, blocks);
      int most = 0;
      for (int block = 0; block < blocks; block++) {
        for (int begin = cut.begin(block); begin < cut.end(block); begin += rows) {
          BitSet sources = new BitSet();
          for (int v = begin; v < Math.min(cut.end(block), begin + rows); v++) {
            sources.set(v);
            for (int u : a.rowColumns(v)) {
              sources.set(u);
            }
          }
          most = Math.max(most, sources.cardinality());
        }
      }
      assertThat(new Tiles(a).sourcesAtMost(blocks, rows)).isEqualTo(most);
    }
  }
}
