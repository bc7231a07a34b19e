package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.nn.layers.Pieces;

/// Batches of samples as matrices. A layer's output is the first part of its kept memory.
final class Batches {
  private Batches() {}

  /// Rows of a batch.
  static long rows(Shape shape, int samples) {
    return (long) samples * shape.positions();
  }

  /// Returns the elements of a batch in whole cache lines.
  static long elements(Shape shape, int samples) {
    return Pieces.elements(rows(shape, samples), shape.channels());
  }

  /// The next piece as a batch.
  static DenseMatrix next(Pieces pieces, Shape shape, int samples) {
    return pieces.next(rows(shape, samples), shape.channels());
  }

  /// Returns the output of a layer in its kept memory.
  static DenseMatrix output(Layer layer, DenseMatrix kept, int samples) {
    return next(new Pieces(kept), layer.output(), samples);
  }

  /// Adds the column sums of `t` to the gradient of a bias.
  ///
  /// @param sums `1 x columns`, overwritten
  static void addColumnSums(DenseMatrix t, String bias, DenseMatrix sums, Pass pass) {
    ColumnSums.of(t, sums.data(), pass.kernels().workers());
    pass.state().parameter(bias).addGradientRows(0, 1, sums.data());
  }
}
