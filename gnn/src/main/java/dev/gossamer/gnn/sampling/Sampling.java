package dev.gossamer.gnn.sampling;

import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The two ways to draw: layer by layer, and one subgraph for all layers.
sealed interface Sampling permits LayerSampling, SubgraphSampling {
  /// Draws a bulk of batches; see [BulkSampler#sample].
  ///
  /// @throws IllegalArgumentException if there is a boundary and batches are subgraphs
  List<SampledBatch> sample(
      Arena arena,
      long epoch,
      BatchNumbers numbers,
      List<int[]> batches,
      @Nullable Boundary boundary);
}
