package dev.gossamer.exchange;

import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.DroppedSpmm;
import dev.gossamer.matrix.sparse.EntryDropout;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Kernels;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `Y = sum over k of A_k X_k`, tile by tile in a fixed order: the first tile with entries
/// overwrites `Y`, the others add, and the last one takes the epilogue with it. Tiles without
/// entries cost nothing.
final class TileSum {
  private final List<@Nullable Spmm> tiles;
  private final int first;
  private final int last;
  private final List<String> names;
  private final Kernels kernels;

  /// @param names of the products, for the timeline; one for each tile
  TileSum(CsrMatrix[] matrices, List<String> names, Kernels kernels) {
    this(
        Arrays.stream(matrices).map(tile -> tile.nnz() == 0 ? null : new Spmm(tile)).toList(),
        names,
        kernels);
  }

  /// @param tiles null for a tile without entries
  private TileSum(List<@Nullable Spmm> tiles, List<String> names, Kernels kernels) {
    this.tiles = tiles;
    this.names = List.copyOf(names);
    this.kernels = kernels;
    int lowest = tiles.size();
    int highest = -1;
    for (int k = 0; k < tiles.size(); k++) {
      if (tiles.get(k) != null) {
        lowest = Math.min(lowest, k);
        highest = k;
      }
    }
    first = lowest;
    last = highest;
  }

  /// A sum over what edge dropout leaves of the tiles.
  ///
  /// @param sum of that
  /// @param tiles those with entries, of which a step is drawn
  record Dropped(TileSum sum, List<DroppedSpmm> tiles) {
    /// Draws what is left in a step.
    void draw(long step) {
      tiles.forEach(tile -> tile.draw(step, sum.kernels.workers()));
    }
  }

  /// Returns what edge dropout leaves of this sum.
  ///
  /// @param arena owner of the weights that are left
  /// @param rows the data set's ids of the rows
  /// @param columns those of the columns of each tile
  Dropped dropping(Arena arena, RowIds rows, RowIds[] columns, EntryDropout dropout) {
    List<DroppedSpmm> drawn = new ArrayList<>();
    List<@Nullable Spmm> left = new ArrayList<>();
    for (int k = 0; k < tiles.size(); k++) {
      Spmm tile = tiles.get(k);
      if (tile == null) {
        left.add(null);
      } else {
        drawn.add(new DroppedSpmm(arena, tile.matrix(), rows, columns[k], dropout));
        left.add(drawn.getLast().spmm());
      }
    }
    return new Dropped(new TileSum(left, names, kernels), drawn);
  }

  /// Starts a sum. If no tile has entries, `Y` is zero and complete.
  ///
  /// @param epilogue applied in the last addition
  void begin(ColumnBlock y, RowEpilogue epilogue) {
    if (last < 0) {
      y.matrix().fill(0f);
      Epilogues.apply(epilogue, y.matrix(), kernels.workers());
    }
  }

  /// Adds the product of tile `k`; called for all `k` in ascending order.
  void add(int k, ColumnBlock x, ColumnBlock y, RowEpilogue epilogue) {
    Spmm tile = tiles.get(k);
    if (tile == null) {
      return;
    }
    RowEpilogue tail = k == last ? epilogue : RowEpilogue.NONE;
    kernels
        .clock()
        .measure(
            Phase.SPMM,
            names.get(k),
            () -> {
              if (k == first) {
                tile.multiply(x, y, kernels.workers(), tail);
              } else {
                tile.multiplyAdd(x, y, kernels.workers(), tail);
              }
            });
  }
}
