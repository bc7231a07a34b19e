package dev.gossamer.gnn.stack;

import dev.gossamer.matrix.DenseMatrix;

/// The memory of the passes through a stack of layers: planned beforehand for a whole graph,
/// growing to the largest batch for sampled ones.
public interface StackMemory {
  /// Memory that every pass of every layer overwrites.
  ///
  /// @param elements that the pass needs at least
  DenseMatrix shared(long elements);

  /// What a layer keeps from its forward to its backward pass.
  ///
  /// @param l number of the layer, from 0
  DenseMatrix kept(int l, long elements);

  /// A layer's output, with the rows under it that are supplied to the next layer.
  ///
  /// @param l number of the layer, from 0
  DenseMatrix output(int l, long rows, int cols);
}
