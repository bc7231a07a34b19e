package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.Arena;

/// All that distinguishes one layer-by-layer sampler from another in MBS, Algorithm 1.
///
/// @param <P> what `Q A` is
sealed interface LayerRule<P> {
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

  /// GraphSAGE (MBS, section 4.1). `Q` has a row for each destination, with one entry; so `P` is a
  /// selection of rows, and `P` divided by its row sums is uniform.
  record Neighbours() implements LayerRule<SelectedRows> {
    @Override
    public SelectedRows product(Arena arena, Frontier q, SelectedRows rows, Workers workers) {
      return rows;
    }

    @Override
    public Distributions norm(SelectedRows p) {
      return new Distributions.Uniform(p);
    }

    @Override
    public SampledBlock extract(
        Arena arena,
        SelectedRows rows,
        int from,
        int[] destinations,
        Drawn drawn,
        BlockMaker blocks) {
      return blocks.neighbours(arena, destinations, drawn);
    }
  }

  /// LADIES (MBS, section 4.2). `Q` has a row for each batch, with an entry for each destination;
  /// so `P` has the counts `e_v`, and NORM squares them.
  record Dependencies() implements LayerRule<CsrMatrix> {
    @Override
    public CsrMatrix product(Arena arena, Frontier q, SelectedRows rows, Workers workers) {
      return rows.product(arena, q.starts(), workers);
    }

    @Override
    public Distributions norm(CsrMatrix p) {
      return new Distributions.Squares(p);
    }
  }

  /// FastGCN. `Q` is a row of ones over all vertices, for every batch and layer, and multiplies the
  /// squares of `Â`; so `P` is the squared norms of its columns and is made once.
  ///
  /// @param importance `P`
  record Importance(WeightedRow importance) implements LayerRule<WeightedRow> {
    @Override
    public WeightedRow product(Arena arena, Frontier q, SelectedRows rows, Workers workers) {
      return importance;
    }

    @Override
    public Distributions norm(WeightedRow p) {
      return new Distributions.Shared(p);
    }
  }

  /// The squared norm of each column of `Â`.
  static WeightedRow columnNorms(AdjacencyRows a) {
    return new WeightedRow(
        a.columnSums((row, column, coefficient, length) -> coefficient * coefficient));
  }
}
