package dev.gossamer.exchange;

import dev.gossamer.matrix.CsrMatrix;

/// The balance of the entries of a matrix under a placement: over block rows, which balances the
/// computation of ranks, and over the tiles `(i, q)` of block rows and block columns, which
/// balances the stages of a broadcast product (MG, section 5.2). Immutable; `8 (p/c)^2` bytes.
public final class TileBalance {
  private final long[][] tiles;

  private TileBalance(long[][] tiles) {
    this.tiles = tiles;
  }

  /// Counts the entries of each tile. Cost: one pass over the entries.
  ///
  /// @param a `n x n`, not permuted
  /// @param placement of the vertices
  /// @return the counts
  public static TileBalance of(CsrMatrix a, Placement placement) {
    int[] owner = placement.owners();
    int blocks = placement.distribution().blocks();
    long[][] tiles = new long[blocks][blocks];
    for (int v = 0; v < owner.length; v++) {
      long[] row = tiles[owner[v]];
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        row[owner[a.column(e)]]++;
      }
    }
    return new TileBalance(tiles);
  }

  /// {@return entries of tile `(i, q)`}
  ///
  /// @param i block row
  /// @param q block column
  public long entries(int i, int q) {
    return tiles[i][q];
  }

  /// {@return the larger of the entries of block row `i` and of block column `i`: the maximum that
  /// a rank holds of the matrix or of its transpose}
  ///
  /// @param i number of a block row, and of a block column
  public long entries(int i) {
    return Math.max(row(i), column(i));
  }

  /// {@return entries of the fullest block row, as a multiple of the average; 1 if there are none}
  public double fullestRow() {
    long most = 0;
    long all = 0;
    for (int i = 0; i < tiles.length; i++) {
      most = Math.max(most, row(i));
      all += row(i);
    }
    return all == 0 ? 1 : (double) most * tiles.length / all;
  }

  /// {@return entries of the fullest tile, as a multiple of the average; 1 if there are none}
  public double fullestTile() {
    long most = 0;
    long all = 0;
    for (long[] row : tiles) {
      for (long entries : row) {
        most = Math.max(most, entries);
        all += entries;
      }
    }
    return all == 0 ? 1 : (double) most * tiles.length * tiles.length / all;
  }

  private long row(int i) {
    long sum = 0;
    for (long entries : tiles[i]) {
      sum += entries;
    }
    return sum;
  }

  private long column(int i) {
    long sum = 0;
    for (long[] row : tiles) {
      sum += row[i];
    }
    return sum;
  }
}
