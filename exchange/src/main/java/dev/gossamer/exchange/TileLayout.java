package dev.gossamer.exchange;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The block rows of one rank divided into tiles, and the rows that it needs for them.
final class TileLayout {
  private final ColumnTiles tiles;
  private final CsrMatrix[] entries;
  private final List<String> names;
  private final @Nullable ExchangePattern pattern;

  private TileLayout(
      ColumnTiles tiles,
      CsrMatrix[] entries,
      List<String> names,
      @Nullable ExchangePattern pattern) {
    this.tiles = tiles;
    this.entries = entries;
    this.names = List.copyOf(names);
    this.pattern = pattern;
  }

  /// Creates one tile per stage, with the columns of one block. Local.
  static TileLayout oblivious(
      Arena arena, ProcessGrid grid, RowDistribution distribution, CsrMatrix block) {
    ColumnTiles tiles = new ColumnTiles(block.cols(), grid.stages());
    for (int k = 0; k < grid.stages(); k++) {
      int q = grid.firstStage() + k;
      tiles.add(k, distribution.begin(q), distribution.end(q));
    }
    return new TileLayout(tiles, tiles.entries(arena, block), stages(grid), null);
  }

  /// Creates tile 0 with the columns of the rank's own block; the other tiles have the columns of
  /// remote rows: one tile if they arrive together (1D), otherwise one tile per stage. Collective
  /// in the process column.
  static TileLayout sparsityAware(
      Arena arena, ProcessGrid grid, RowDistribution distribution, CsrMatrix block) {
    int firstStage = grid.firstStage();
    int lastStage = firstStage + grid.stages() - 1;
    int own = grid.row();
    int[] needed =
        nonzeroColumns(block, distribution.begin(firstStage), distribution.end(lastStage));
    ExchangePattern pattern = new ExchangePattern(grid.processColumn(), distribution, needed);
    boolean staged = grid.replication() > 1;
    ColumnTiles tiles = new ColumnTiles(block.cols(), 1 + (staged ? grid.stages() : 1));
    if (own >= firstStage && own <= lastStage) {
      tiles.add(0, distribution.begin(own), distribution.end(own));
    }
    for (int k = 0; k < pattern.rowsNeeded(); k++) {
      int row = pattern.neededRow(k);
      tiles.add(staged ? 1 + distribution.owner(row) - firstStage : 1, row);
    }
    List<String> names = new ArrayList<>(List.of("spmm own block"));
    names.addAll(staged ? stages(grid) : List.of("spmm gathered rows"));
    return new TileLayout(tiles, tiles.entries(arena, block), names, pattern);
  }

  private static List<String> stages(ProcessGrid grid) {
    return IntStream.range(0, grid.stages()).mapToObj(k -> "spmm stage " + k).toList();
  }

  /// `NnzCols`: the columns in `begin..end-1` that have an entry, ascending (SA, section 4.1).
  /// Cost: `O(nnz + n / 64)`.
  static int[] nonzeroColumns(CsrMatrix block, int begin, int end) {
    BitSet present = new BitSet(end - begin);
    for (long e = 0; e < block.nnz(); e++) {
      int column = block.column(e);
      if (column >= begin && column < end) {
        present.set(column - begin);
      }
    }
    int[] columns = present.stream().toArray();
    Arrays.setAll(columns, k -> columns[k] + begin);
    return columns;
  }

  /// Returns the exchange pattern; null if whole blocks are broadcast.
  @Nullable ExchangePattern pattern() {
    return pattern;
  }

  /// Returns the names of the tiles' products on a timeline.
  List<String> names() {
    return names;
  }

  /// Returns the columns of each tile.
  int[][] columns() {
    return tiles.columns();
  }

  /// Returns the tiles with the scales of block rows of this pattern.
  CsrMatrix[] scaled(Arena arena, CsrMatrix block) {
    return tiles.scaled(arena, entries, block);
  }
}
