package dev.gossamer.matrix.dense;

import dev.gossamer.matrix.DenseMatrix;

/// What a kernel does to rows of its result as soon as they are finished, while they are still in
/// cache: bias, ReLU, dropout, scaling. Called once for every row, in blocks of rows, from many
/// threads.
@FunctionalInterface
public interface RowEpilogue {
  /// Leaves the rows as they are.
  RowEpilogue NONE = (y, begin, end) -> {};

  /// Takes its step on a block of finished rows.
  ///
  /// @param y the whole result
  /// @param begin first finished row
  /// @param end the row after the last
  void apply(DenseMatrix y, long begin, long end);
}
