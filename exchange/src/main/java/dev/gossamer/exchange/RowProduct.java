package dev.gossamer.exchange;

import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.dense.RowEpilogue;

/// One rank's part of some columns of `Y = A X`: its block columns of its block row, with exchanged
/// rows of `X`.
sealed interface RowProduct permits BroadcastProduct, GatherProduct {
  /// Multiplies. Collective in the process column.
  ///
  /// @param x the columns in the rank's block of `X`
  /// @param y the same columns in the rank's (partial) block of `Y`, overwritten
  /// @param epilogue applied to rows of the block of `Y` after the last addition to these columns
  void multiply(ColumnBlock x, ColumnBlock y, RowEpilogue epilogue);
}
