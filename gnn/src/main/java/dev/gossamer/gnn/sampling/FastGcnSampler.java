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

/// `fastgcn`: in each layer a batch draws a number of vertices of the whole graph, without
/// replacement, `v` with probability proportional to the squared norm of column `v` of `Â` (J.
/// Chen, T. Ma and C. Xiao, *FastGCN*, ICLR 2018). The columns of the batch's own vertices are
/// always included. Needs a graph with edges.
///
/// @param layerSizes vertices per layer, from the batch outwards
public record FastGcnSampler(LayerSizes layerSizes) implements LayerwiseSampler {
  static final String NAME = "fastgcn";

  /// Creates a sampler with given sizes.
  ///
  /// @param layerSizes vertices per layer, from the batch outwards
  /// @throws dev.gossamer.base.InvalidSettingException if there is no size or one is less than 1
  public FastGcnSampler(List<Integer> layerSizes) {
    this(LayerSizes.of(layerSizes));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FastGcnSampler with(LayerSizes other) {
    return new FastGcnSampler(other);
  }

  /// `Q` exists while a layer is drawn; `P` is kept.
  @Override
  public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    return SamplingMemory.ofLayers(
            degrees.vertices(),
            blocks,
            BlockBound::weightedBytes,
            block -> 2 * CsrMatrix.bytes(1, 0, true) + 2 * block.targets() * Integer.BYTES)
        .withMakers(blocks)
        .withPerThread(InverseTransform.bytes(degrees.vertices()))
        .withKept(WeightedRow.bytes(degrees.vertices()));
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    Importance rule = new Importance(WeightedRow.columnNorms(name(), a));
    return new LayerSampling<>(rule, sizes(), a, seed, workers);
  }

  /// Any vertex can be drawn, and each has a fixed weight (see [InputProbabilities#drawn]).
  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize) {
    double[] p = InputProbabilities.ofBatch(a, training, batchSize);
    WeightedRow importance = WeightedRow.columnNorms(name(), a);
    double[] weights = new double[p.length];
    Arrays.setAll(weights, importance::weight);
    double[] always = new double[p.length];
    Arrays.fill(always, 1);
    sizes()
        .forEach(s -> InputProbabilities.include(p, InputProbabilities.drawn(always, weights, s)));
    return p;
  }

  /// `Q` is a row of ones over all vertices, for every batch and layer, and multiplies the squares
  /// of `Â`; so `P` is the squared norms of its columns and is made once.
  private static final class Importance implements LayerRule<WeightedRow> {
    private final WeightedRow p;

    Importance(WeightedRow p) {
      this.p = p;
    }

    @Override
    public WeightedRow product(Arena arena, Frontier q, SelectedRows rows, Workers workers) {
      return p;
    }

    @Override
    public Distributions norm(WeightedRow row) {
      return new Distributions.OfBatches((b, scratch) -> row);
    }
  }
}
