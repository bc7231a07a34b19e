package dev.gossamer.gnn.stack;

import dev.gossamer.matrix.DenseMatrix;
import java.util.List;

/// Supplies rows that the previous layers do not compute, and receives computed rows.
public interface LayerRows {
  /// For networks in which every layer computes all rows that the next one reads.
  LayerRows NONE =
      new LayerRows() {
        @Override
        public void supply(int l, DenseMatrix rows) {}

        @Override
        public void computed(List<DenseMatrix> hidden) {}
      };

  /// Fills the rows of a layer's input that the previous layer does not compute (see
  /// [LayerStack.Level#supplied]).
  ///
  /// @param l number of the layer, from 1
  /// @param rows overwritten
  void supply(int l, DenseMatrix rows);

  /// Called after the forward pass.
  ///
  /// @param hidden outputs of all layers but the last, as far as they were computed; borrowed
  ///   during the call
  void computed(List<DenseMatrix> hidden);
}
