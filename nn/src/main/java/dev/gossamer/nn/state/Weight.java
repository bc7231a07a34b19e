package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.MemorySegment;

/// A parameter `W`, `k x n`, as a layer computes with it: whether it is stored in 16 or 32 bits,
/// with or without the zeros of pruning, is not the layer's business. Gradients are added to what
/// is there, so that microbatches accumulate.
public interface Weight {
  /// {@return rows of `W`}
  int rows();

  /// {@return columns of `W`}
  int cols();

  /// Computes `Y = X W`.
  ///
  /// @param x `m x k`
  /// @param y `m x n`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows while they are in cache
  void multiply(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue);

  /// Computes `Y = X W^T`.
  ///
  /// @param x `m x n`
  /// @param y `m x k`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows while they are in cache
  void multiplyTransposed(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue);

  /// Adds `X^T T` to the gradient. Where only some elements are kept, each block of rows is
  /// compressed while it is in cache: no more of the dense gradient ever exists.
  ///
  /// @param x `m x k`
  /// @param t `m x n`
  /// @param w threads that share the work
  void addGradient(DenseMatrix x, DenseMatrix t, Workers w);

  /// Adds to some rows of the gradient. Calls for different rows may come from different threads.
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
