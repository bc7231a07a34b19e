package dev.gossamer.matrix.kernel;

import dev.gossamer.matrix.Workers;

/// One row at a time of a sparse product whose entries have a weight for each head: `y[h] = sum
/// over k of w[k][h] x[id[k]][h]`, where `x[i][h]` is head `h`'s part of a row. A weight is
/// broadcast over its head's columns (MB, section 3.3, "Broadcast Support for AGG"): head by head,
/// the loops of [SpmmRows] run over a stripe of columns.
///
/// For one thread. Rows are addresses, as in [SpmmRows].
final class HeadSpmm {
  /// Entries that are summed at once; behind them the arrays hold end and scale of the row.
  static final int BLOCK = Workers.SCRATCH_ELEMENTS / 2;

  private final int[] ids;
  private final float[] weights;
  private final long headBytes;

  /// @param ids receives the entries' ids, overwritten
  /// @param weights receives their weights of one head, overwritten
  /// @param width of a head
  HeadSpmm(int[] ids, float[] weights, int width) {
    this.ids = ids;
    this.weights = weights;
    headBytes = (long) width * Float.BYTES;
    weights[BLOCK] = 1f;
  }

  /// Where to put the ids of up to [#BLOCK] entries.
  int[] ids() {
    return ids;
  }

  /// Where to put their weights of one head.
  float[] weights() {
    return weights;
  }

  /// Sums one head's columns of a row.
  ///
  /// @param count entries
  /// @param x address of row 0
  /// @param pitch bytes from row to row of `x`
  /// @param y address of the row
  /// @param add whether to add to it or to overwrite it
  void sum(int head, int count, long x, long pitch, long y, boolean add) {
    ids[BLOCK] = count;
    long column = head * headBytes;
    SpmmRows.multiply(ids, weights, BLOCK, 1, x + column, y + column, pitch, pitch, headBytes, add);
  }
}
