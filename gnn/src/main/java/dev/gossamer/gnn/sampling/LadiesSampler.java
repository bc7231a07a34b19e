package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.lang.foreign.Arena;
import java.util.List;

/// `ladies`: in each layer a batch takes a number of vertices of its aggregated neighbourhood,
/// without replacement, `v` with probability `e_v^2 / sum_u e_u^2`, where `e_v` counts the
/// neighbours of `v` in the batch (D. Zou et al., 2019; MBS, section 4.2).
///
/// @param layerSizes vertices per layer, from the batch outwards
public record LadiesSampler(List<Integer> layerSizes) implements Sampler {
  static final String NAME = "ladies";

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if there is no size or one is less than 1
  public LadiesSampler {
    layerSizes = LayerSampling.sizes("layerSizes", layerSizes);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<Integer> sizes() {
    return layerSizes;
  }

  @Override
  public Sampler outermost(int hops) {
    return new LadiesSampler(layerSizes.subList(0, hops));
  }

  @Override
  public List<BlockBound> blocks(Degrees degrees, int batchSize) {
    return BlockBound.ofLayers(degrees, batchSize, layerSizes, (rows, s) -> s);
  }

  /// While a layer is drawn there are a row of `P`, twice while it is made, and `Q`. Products keep
  /// a dense row with its bitmap, and one distribution, for each thread.
  @Override
  public SamplingMemory memory(Degrees degrees, int batchSize) {
    long n = degrees.vertices();
    return SamplingMemory.ofLayers(
            degrees.vertices(),
            blocks(degrees, batchSize),
            BlockBound::weightedBytes,
            block -> {
              long p = Math.min(n, block.targets() * degrees.largest());
              return 2 * CsrMatrix.bytes(1, p, true) + 2 * block.targets() * Integer.BYTES;
            })
        .withPerThread(n * (Float.BYTES + 1L) + n * (Integer.BYTES + 2L * Double.BYTES));
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return new LayerSampling<>(new Dependencies(), layerSizes, a, seed, workers);
  }

  /// `v` can be drawn if there is a `u` among the destinations, with probability `h_v = 1 - prod_u
  /// (1 - p_u)`. It then weighs `w_v = E[e_v^2] / h_v`, where `E[e_v^2] = (sum_u p_u)^2 + sum_u p_u
  /// (1 - p_u)` (see [InputProbabilities#drawn]).
  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize) {
    double[] p = InputProbabilities.ofBatch(a, training, batchSize);
    for (int s : layerSizes) {
      InputProbabilities.include(p, drawn(a, p, s));
    }
    return p;
  }

  private static double[] drawn(AdjacencyRows a, double[] p, int size) {
    double[] missed = new double[p.length];
    double[] variance = new double[p.length];
    for (int u = 0; u < p.length; u++) {
      missed[u] = Math.log1p(-p[u]);
      variance[u] = p[u] * (1 - p[u]);
    }
    double[] reached = InputProbabilities.complement(a.sumsOfOthers(missed));
    double[] mean = a.sumsOfOthers(p);
    double[] weights = a.sumsOfOthers(variance);
    for (int v = 0; v < p.length; v++) {
      weights[v] = reached[v] == 0 ? 0 : (weights[v] + mean[v] * mean[v]) / reached[v];
    }
    return InputProbabilities.drawn(reached, weights, size);
  }

  /// `Q` has a row for each batch, with an entry for each destination; so `P` has the counts `e_v`,
  /// and NORM squares them.
  static final class Dependencies implements LayerRule<CsrMatrix> {
    @Override
    public CsrMatrix product(Arena arena, Frontier q, SelectedRows rows, Workers workers) {
      return rows.product(arena, q.starts(), workers);
    }

    @Override
    public Distributions norm(CsrMatrix p) {
      return new Distributions.OfBatches((b, scratch) -> {
        scratch.fill(p, b);
        return scratch;
      });
    }
  }
}
