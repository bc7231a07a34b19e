package dev.gossamer.planner;

import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.LayerProduct;
import org.jspecify.annotations.Nullable;

/// Sizes of the products of a layer over one block per rank.
///
/// @param targets rows of the block of each rank
/// @param sources columns of each block
/// @param entries of each block
/// @param inputEntries of the sources' features, if the layer reads sparse ones; else null
@SuppressWarnings("ArrayRecordComponent")
record RankProducts(
    long[] targets, long[] sources, long[] entries, long @Nullable [] inputEntries) {
  /// Adds the seconds of a layer's products.
  ///
  /// @param to is added to
  void add(StepSeconds to, GraphLayer layer, Backward backward) {
    for (LayerProduct product : layer.products(backward)) {
      switch (product) {
        case LayerProduct.Dense dense -> {
          long[] rows =
              switch (dense.rows()) {
                case SOURCES -> sources;
                case TARGETS -> targets;
                case EDGES -> entries;
              };
          if (inputEntries != null && dense.ofInput()) {
            to.spmm(Phase.SPMM, rows, inputEntries, dense.out());
          } else {
            to.dense(rows, dense);
          }
        }
        case LayerProduct.Aggregated aggregated ->
            to.spmm(
                Phase.SPMM, aggregated.backward() ? sources : targets, entries, aggregated.width());
        case LayerProduct.Attended attended -> to.attention(targets, entries, attended, backward);
        case LayerProduct.AlongEdges sums -> to.alongEdges(targets, entries, sums, backward);
        case LayerProduct.Elementwise passes -> to.elementwise(targets, passes);
        // Each rank computes its batches alone.
        case LayerProduct.Summed _ -> {}
      }
    }
  }
}
