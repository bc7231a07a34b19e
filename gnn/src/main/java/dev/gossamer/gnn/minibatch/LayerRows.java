package dev.gossamer.gnn.minibatch;

import dev.gossamer.matrix.DenseMatrix;
import java.util.List;

/// What a batch's layers take from beyond the batch, and what becomes known beyond it.
interface LayerRows {
  /// Fills the rows of a layer's input that the layer before does not compute (see
  /// [dev.gossamer.gnn.sampling.SampledBlock#supplied]).
  ///
  /// @param l number of the layer, from 1
  /// @param rows overwritten
  void supply(int l, DenseMatrix rows);

  /// The forward pass is done.
  ///
  /// @param hidden outputs of the layers but the last, as far as the batch has computed them;
  ///   borrowed during the call
  void computed(List<DenseMatrix> hidden);
}
