package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;

/// What a graph layer does with the rows of its neighbours: a linear map and its transpose. Behind
/// it is a whole graph, a graph spread over ranks, or one sampled block; a layer does not know
/// which.
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

  /// `Y = Â X`.
  ///
  /// @param x one row for each source vertex
  /// @param y one row for each target vertex, overwritten
  /// @param epilogue applied to finished rows of `y`
  void forward(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue);

  /// `X' = Â^T Y'`, the gradient of the sources from the gradient of the targets.
  ///
  /// @param gradY one row for each target vertex
  /// @param gradX one row for each source vertex, overwritten
  void backward(DenseMatrix gradY, DenseMatrix gradX);
}
