package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.MemorySegment;

/// A parameter `W`, `k x n`, as layers use it, independent of its storage: 16 or 32 bits, dense or
/// pruned. Gradients are added to existing ones, so that microbatches accumulate.
public interface Weight {
  /// {@return the number of rows of `W`}
  int rows();

  /// {@return the number of columns of `W`}
  int cols();

  /// Computes `Y = X W`.
  ///
  /// @param x `m x k`
  /// @param y `m x n`, overwritten
  /// @param w threads to use; borrowed
  /// @param epilogue applied to finished rows while they are in cache
  void multiply(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue);

  /// Computes `Y = X W^T`.
  ///
  /// @param x `m x n`
  /// @param y `m x k`, overwritten
  /// @param w threads to use; borrowed
  /// @param epilogue applied to finished rows while they are in cache
  void multiplyTransposed(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue);

  /// Adds `X^T T` to the gradient. For a pruned parameter, each block of rows is compressed while
  /// it is in cache, so that the dense gradient never exists as a whole.
  ///
  /// @param x `m x k`
  /// @param t `m x n`
  /// @param w threads to use; borrowed
  void addGradient(DenseMatrix x, DenseMatrix t, Workers w);

  /// Adds to consecutive rows of the gradient. Calls for different rows may come from different
  /// threads.
  ///
  /// @param begin first row
  /// @param end the row after the last
  /// @param values `float32[(end - begin) n]`
  void addGradientRows(int begin, int end, MemorySegment values);

  /// Copies one row of `W`, as float32.
  ///
  /// @param row 0-based
  /// @param to `float32[n]`, overwritten
  void row(int row, MemorySegment to);
}
