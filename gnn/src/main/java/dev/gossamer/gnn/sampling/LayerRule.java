package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockMaker;
import dev.gossamer.gnn.sampling.blocks.Frontier;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Distributions;
import dev.gossamer.gnn.sampling.matrices.Drawn;
import dev.gossamer.gnn.sampling.matrices.Draws;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import java.lang.foreign.Arena;

/// The steps of MBS, Algorithm 1, in which layer-by-layer samplers differ.
///
/// @param <P> type of `Q A`
interface LayerRule<P> {
  /// Returns the rows of `Â` that `Q` selects, as far as this sampler reads them.
  ///
  /// @param q destinations of all batches
  /// @param s size of the layer
  /// @param draws of the layer
  default SelectedRows rows(AdjacencyRows a, Arena arena, Frontier q, int s, Draws draws) {
    return a.select(arena, q.stacked());
  }

  /// `P = Q A`, with the `Q` of this sampler.
  ///
  /// @param rows the destinations of all batches
  P product(Arena arena, Frontier q, SelectedRows rows, Workers workers);

  /// NORM: the distributions to draw from.
  Distributions norm(P p);

  /// EXTRACT: the sampled matrix of one batch, by default `Q_R Â Q_C`.
  ///
  /// @param rows the destinations of all batches
  /// @param from first row of this batch
  /// @param drawn `Q^{l-1}`; may be overwritten
  default SampledBlock extract(
      Arena arena,
      SelectedRows rows,
      int from,
      int[] destinations,
      Drawn drawn,
      BlockMaker blocks) {
    return blocks.drawnColumns(arena, rows, from, destinations, drawn);
  }
}
