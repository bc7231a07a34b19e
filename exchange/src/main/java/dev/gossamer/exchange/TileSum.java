package dev.gossamer.exchange;

import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Kernels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `Y = sum over k of A_k X_k`, tile by tile in a fixed order: the first tile with entries
/// overwrites `Y`, the others add, and the last one takes the epilogue with it. Tiles without
/// entries cost nothing.
final class TileSum {
  private final @Nullable Spmm[] tiles;
  private final int first;
  private final int last;
  private final List<String> names;
  private final Kernels kernels;

  /// @param names of the products, for the timeline; one for each tile
  TileSum(CsrMatrix[] matrices, List<String> names, Kernels kernels) {
    this.names = List.copyOf(names);
    this.kernels = kernels;
    tiles = new Spmm[matrices.length];
    int lowest = matrices.length;
    int highest = -1;
    for (int k = 0; k < matrices.length; k++) {
      if (matrices[k].nnz() > 0) {
        tiles[k] = new Spmm(matrices[k]);
        lowest = Math.min(lowest, k);
        highest = k;
      }
    }
    first = lowest;
    last = highest;
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
    Spmm tile = tiles[k];
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
