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

/// All that distinguishes one layer-by-layer sampler from another in MBS, Algorithm 1.
///
/// @param <P> what `Q A` is
interface LayerRule<P> {
  /// The rows of `Â` that `Q` names, as far as this sampler looks at them.
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

  /// NORM: what is drawn from.
  Distributions norm(P p);

  /// EXTRACT: the sampled matrix of one batch, `Q_R Â Q_C` unless a sampler has its own.
  ///
  /// @param rows the destinations of all batches
  /// @param from the first that is of this batch
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
