package dev.gossamer.gnn.stack;

import dev.gossamer.matrix.DenseMatrix;

/// The memory of the passes through a stack of layers: planned before the run for a whole graph,
/// growing to the largest batch for minibatches.
public interface StackMemory {
  /// {@return memory that every pass of every layer overwrites}
  ///
  /// @param elements minimum number
  DenseMatrix shared(long elements);

  /// {@return what a layer keeps from its forward to its backward pass}
  ///
  /// @param l number of the layer, from 0
  /// @param elements number
  DenseMatrix kept(int l, long elements);

  /// {@return the rows that layers leave for later ones, and then their gradient}
  ///
  /// @param rows of how many targets ([Network#carriedRows])
  /// @param cols their width
  DenseMatrix carried(long rows, int cols);

  /// {@return a layer's output, followed by the rows that are supplied to the next layer}
  ///
  /// @param l number of the layer, from 0
  /// @param rows of the output
  /// @param cols width of the output
  DenseMatrix output(int l, long rows, int cols);
}
