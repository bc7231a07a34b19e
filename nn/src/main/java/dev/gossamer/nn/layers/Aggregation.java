package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;

/// The aggregation of neighbour rows in a graph layer: a linear map and its transpose.
/// Implementations cover a whole graph, a graph distributed over ranks, and a sampled block; layers
/// do not depend on which.
public non-sealed interface Aggregation extends GraphView {
  /// No neighbours: `Y = X`.
  Aggregation IDENTITY =
      new Aggregation() {
        @Override
        public void forward(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue) {
          y.copyFrom(x);
          epilogue.apply(y, 0, y.rows());
        }

        @Override
        public void backward(DenseMatrix gradY, DenseMatrix gradX) {
          gradX.copyFrom(gradY);
        }
      };

  /// Computes `Y = Â X`.
  ///
  /// @param x one row for each source vertex
  /// @param y one row for each target vertex, overwritten
  /// @param epilogue applied to completed rows of `y`
  void forward(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue);

  /// Computes `X' = Â^T Y'`, the gradient of the sources from the gradient of the targets.
  ///
  /// @param gradY one row for each target vertex
  /// @param gradX one row for each source vertex, overwritten
  void backward(DenseMatrix gradY, DenseMatrix gradX);
}
