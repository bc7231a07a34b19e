package dev.gossamer.exchange;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;

/// What one rank computes of `Y = A X`: its block columns of its block row, with the rows of `X`
/// that it takes from others.
sealed interface RowProduct permits BroadcastProduct, GatherProduct {
  /// Collective in the process column.
  ///
  /// @param x the rank's block of `X`
  /// @param y the rank's (partial) block of `Y`, overwritten
  /// @param epilogue applied to rows after their last addition
  void multiply(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue);
}
