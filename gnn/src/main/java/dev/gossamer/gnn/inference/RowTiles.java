package dev.gossamer.gnn.inference;

import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Counts the vertices that consecutive rows of `Â` refer to. Bounds by degrees would be several
/// times as large where rows share neighbours.
final class RowTiles {
  private final CsrMatrix a;
  private final Map<Cut, List<Tile>> counted = new HashMap<>();

  /// @param placement compared as an object: each has its own
  /// @param rows of a tile
  private record Cut(Placement placement, int rows) {}

  /// The maximum of each number over the tiles of a block.
  ///
  /// @param sources vertices that its rows refer to, including their own
  /// @param remote sources in other blocks
  /// @param entries of its rows, without added self loops
  record Tile(long sources, long remote, long entries) {
    private static final Tile EMPTY = new Tile(0, 0, 0);

    private Tile most(Tile other) {
      return new Tile(
          Math.max(sources, other.sources),
          Math.max(remote, other.remote),
          Math.max(entries, other.entries));
    }
  }

  /// @param a the adjacency matrix, whose transpose has the entries of `Â` outside the diagonal
  RowTiles(CsrMatrix a) {
    this.a = a;
  }

  /// Returns the largest tile of each block. Cost: one pass over the entries, once.
  ///
  /// @param placement of the vertices in blocks
  /// @param rows of each tile of a block, the last of which may have fewer
  synchronized List<Tile> largest(Placement placement, int rows) {
    return counted.computeIfAbsent(new Cut(placement, rows), this::count);
  }

  /// Goes by the vertices that are referred to: each counts once in a tile.
  private List<Tile> count(Cut cut) {
    RowDistribution blocks = cut.placement().distribution();
    int[] tileOf = new int[blocks.rows()];
    List<Integer> blockOf = new ArrayList<>();
    for (int block = 0; block < blocks.blocks(); block++) {
      for (int row = blocks.begin(block); row < blocks.end(block); row++) {
        if ((row - blocks.begin(block)) % cut.rows() == 0) {
          blockOf.add(block);
        }
        tileOf[cut.placement().oldId(row)] = blockOf.size() - 1;
      }
    }
    int tiles = blockOf.size();
    long[] sources = new long[tiles];
    long[] remote = new long[tiles];
    long[] entries = new long[tiles];
    int[] last = new int[tiles];
    Arrays.fill(last, -1);
    for (int u = 0; u < tileOf.length; u++) {
      int own = tileOf[u];
      sources[own]++;
      last[own] = u;
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int tile = tileOf[a.column(e)];
        entries[tile]++;
        if (last[tile] != u) {
          last[tile] = u;
          sources[tile]++;
          remote[tile] += blockOf.get(tile).equals(blockOf.get(own)) ? 0 : 1;
        }
      }
    }
    Tile[] largest = new Tile[blocks.blocks()];
    Arrays.fill(largest, Tile.EMPTY);
    for (int tile = 0; tile < tiles; tile++) {
      int block = blockOf.get(tile);
      largest[block] = largest[block].most(new Tile(sources[tile], remote[tile], entries[tile]));
    }
    return List.of(largest);
  }
}
