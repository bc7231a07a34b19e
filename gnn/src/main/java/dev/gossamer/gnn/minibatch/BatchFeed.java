package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.stack.LayerRows;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.DenseMatrix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The batches of one rank in one epoch, turn by turn, with everything that their layers read. All
/// methods but [#supply] may be collective: all ranks call them in the same order.
interface BatchFeed extends LayerRows, AutoCloseable {
  /// Starts the next turn.
  ///
  /// @return its batch, or null if this rank has none
  @Nullable SampledBatch next();

  /// Returns the features of the batch's inputs, valid until the next turn. Called once per turn.
  Features inputs();

  /// Called once per turn after the forward pass, also without a batch.
  @Override
  void computed(List<DenseMatrix> hidden);

  @Override
  void close();
}
