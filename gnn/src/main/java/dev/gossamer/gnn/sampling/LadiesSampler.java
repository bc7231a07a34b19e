package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.Frontier;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.gnn.sampling.matrices.Distributions;
import dev.gossamer.gnn.sampling.matrices.InverseTransform;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import dev.gossamer.gnn.sampling.matrices.WeightedRow;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;

/// `ladies`: in each layer a batch draws a number of vertices of its joint neighbourhood, without
/// replacement, `v` with probability proportional to `e_v`, the norm of column `v` of `Q_R Â`, the
/// destinations' rows (after D. Zou et al., 2019; MBS, section 4.2). The columns of the
/// destinations are always included and not drawn.
///
/// Zou et al. draw by `e_v^2`, and MBS by the square of the number of neighbours that `v` has in
/// the batch. The variance of the aggregation, `sum_v e_v^2 |h_v|^2 / p_v` up to a constant, is
/// minimal for `p_v` proportional to `e_v` if the norms of the `h_v` are equal: squares draw hubs,
/// whose entries in `Â` are small, too often.
///
/// @param layerSizes vertices per layer, from the batch outwards
public record LadiesSampler(LayerSizes layerSizes) implements LayerwiseSampler {
  static final String NAME = "ladies";

  /// Creates a sampler with given sizes.
  ///
  /// @param layerSizes vertices per layer, from the batch outwards
  /// @throws dev.gossamer.base.InvalidSettingException if there is no size or one is less than 1
  public LadiesSampler(List<Integer> layerSizes) {
    this(LayerSizes.of(layerSizes));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public LadiesSampler with(LayerSizes other) {
    return new LadiesSampler(other);
  }

  @Override
  public boolean keepsSquares() {
    return true;
  }

  /// A row of `P`, twice during its computation, and `Q` exist while a layer is drawn. Products
  /// keep a dense row with its bitmap, a distribution, and its remainder, for each thread.
  @Override
  public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    long n = degrees.vertices();
    return SamplingMemory.ofLayers(
            degrees.vertices(),
            blocks,
            BlockBound::weightedBytes,
            block -> {
              long p = Math.min(n, block.targets() * degrees.largest());
              return 2 * CsrMatrix.bytes(1, p, true) + 2 * block.targets() * Integer.BYTES;
            })
        .withMakers(blocks)
        .withPerThread(
            n * (Float.BYTES + 1L)
                + WeightedRow.filledBytes(degrees.vertices())
                + InverseTransform.bytes(degrees.vertices()));
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return new LayerSampling<>(new Dependencies(), sizes(), a, seed, workers);
  }

  /// `v` can be drawn if some `u` is a destination, with probability `h_v = 1 - prod_u (1 - p_u)`,
  /// and it is not a destination itself, with `1 - p_v`. Its weight is then `w_v = sqrt(E[e_v^2] /
  /// h_v)`, where `E[e_v^2] = sum_u p_u Â_uv^2` (see [InputProbabilities#drawn]).
  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize) {
    double[] p = InputProbabilities.ofBatch(a, training, batchSize);
    for (int s : sizes()) {
      InputProbabilities.include(p, drawn(a, p, s));
    }
    return p;
  }

  /// Of a vertex that is no destination.
  private static double[] drawn(AdjacencyRows a, double[] p, int size) {
    double[] missed = new double[p.length];
    for (int u = 0; u < p.length; u++) {
      missed[u] = Math.log1p(-p[u]);
    }
    double[] reached = InputProbabilities.complement(a.sumsOfOthers(missed));
    double[] weights =
        a.columnSums((row, column, coefficient, length) ->
            row == column ? 0 : p[row] * coefficient * coefficient);
    double[] candidates = new double[p.length];
    for (int v = 0; v < p.length; v++) {
      weights[v] = reached[v] == 0 ? 0 : Math.sqrt(weights[v] / reached[v]);
      candidates[v] = reached[v] * (1 - p[v]);
    }
    double[] drawn = InputProbabilities.drawn(candidates, weights, size);
    for (int v = 0; v < p.length; v++) {
      drawn[v] = p[v] == 1 ? 0 : drawn[v] / (1 - p[v]);
    }
    return drawn;
  }

  /// `P = Q (Â . Â)`: `Q` has a row for each batch, with an entry for each destination, so `P` has
  /// the squared norms.
  ///
  /// @param squares `P`, but for the scales of columns
  /// @param a `Â`, with those scales
  /// @param q the destinations
  record Norms(CsrMatrix squares, CsrMatrix a, Frontier q) {}

  /// Draws by the norms, without the destinations.
  static final class Dependencies implements LayerRule<Norms> {
    @Override
    public Norms product(Arena arena, Frontier q, SelectedRows rows, Workers workers) {
      return new Norms(rows.columnSquares(arena, q.starts(), workers), rows.matrix(), q);
    }

    @Override
    public Distributions norm(Norms p) {
      return new Distributions.OfBatches((b, scratch) -> {
        int[] destinations = p.q().batch(b).clone();
        Arrays.sort(destinations);
        scratch.fill(
            p.squares(),
            b,
            (v, square) ->
                Arrays.binarySearch(destinations, v) >= 0
                    ? 0
                    : Math.sqrt(square) * Math.abs(p.a().columnScale(v)));
        return scratch;
      });
    }
  }
}
