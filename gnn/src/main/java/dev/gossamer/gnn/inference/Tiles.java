package dev.gossamer.gnn.inference;

import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// The vertices that a few consecutive rows of `Â` refer to, themselves included, counted: a bound
/// by degrees is several times as large where rows have neighbours in common.
final class Tiles {
  private final CsrMatrix a;
  private final Map<Cut, Long> counted = new HashMap<>();

  /// @param blocks of the matrix
  /// @param rows of a tile
  private record Cut(int blocks, int rows) {}

  /// @param a a matrix with the entries of `Â` outside the diagonal
  Tiles(CsrMatrix a) {
    this.a = a;
  }

  /// The most vertices that a tile refers to. Cost: a pass over the entries, once.
  ///
  /// @param blocks of equally many rows, as [RowDistribution#even] has them
  /// @param rows of each tile of a block, the last of which may have fewer
  synchronized long sourcesAtMost(int blocks, int rows) {
    return counted.computeIfAbsent(new Cut(blocks, rows), this::count);
  }

  private long count(Cut cut) {
    int[] seen = new int[a.cols()];
    int tile = 0;
    long most = 0;
    RowDistribution blocks = RowDistribution.even(a.cols(), cut.blocks());
    for (int block = 0; block < cut.blocks(); block++) {
      for (int begin = blocks.begin(block); begin < blocks.end(block); begin += cut.rows()) {
        int end = Math.min(blocks.end(block), begin + cut.rows());
        Arrays.fill(seen, begin, end, ++tile);
        long sources = (long) end - begin;
        for (long e = a.rowPointer(begin); e < a.rowPointer(end); e++) {
          int u = a.column(e);
          if (seen[u] != tile) {
            seen[u] = tile;
            sources++;
          }
        }
        most = Math.max(most, sources);
      }
    }
    return most;
  }
}
