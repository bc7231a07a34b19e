package dev.gossamer.gnn.stack;

import dev.gossamer.matrix.DenseMatrix;
import java.util.List;

/// What layers take from beyond the rows that the layers before compute, and what becomes known to
/// others.
public interface LayerRows {
  /// Every layer computes all rows that the next one reads.
  LayerRows NONE =
      new LayerRows() {
        @Override
        public void supply(int l, DenseMatrix rows) {}

        @Override
        public void computed(List<DenseMatrix> hidden) {}
      };

  /// Fills the rows of a layer's input that the layer before does not compute (see
  /// [LayerStack.Level#supplied]).
  ///
  /// @param l number of the layer, from 1
  /// @param rows overwritten
  void supply(int l, DenseMatrix rows);

  /// The forward pass is done.
  ///
  /// @param hidden outputs of the layers but the last, as far as they were computed; borrowed
  ///   during the call
  void computed(List<DenseMatrix> hidden);
}
