package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.BlockMaker;
import dev.gossamer.gnn.sampling.blocks.Frontier;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.gnn.sampling.matrices.Distributions;
import dev.gossamer.gnn.sampling.matrices.Drawn;
import dev.gossamer.gnn.sampling.matrices.Draws;
import dev.gossamer.gnn.sampling.matrices.NeighbourPlaces;
import dev.gossamer.gnn.sampling.matrices.NeighbourRows;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;

/// `sage`: each vertex draws at most a number of its neighbours, uniformly without replacement (W.
/// Hamilton, R. Ying and J. Leskovec, 2017; MBS, section 4.1). Weights and scales of `Â` are not
/// used, and self loops are neighbours like others. The values of drawn entries are those of `Â`:
/// of a graph of relations, numbers of their sets.
///
/// @param fanouts neighbours per vertex, from the batch outwards
public record SageSampler(List<Integer> fanouts) implements Sampler {
  static final String NAME = "sage";

  /// Checks the numbers.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if there is no fanout or one is less than 1
  public SageSampler {
    fanouts = LayerSampling.sizes("fanouts", fanouts);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<Integer> sizes() {
    return fanouts;
  }

  @Override
  public Map<String, List<Integer>> options() {
    return Map.of("fanouts", fanouts);
  }

  @Override
  public boolean takesMeans() {
    return true;
  }

  @Override
  public Sampler outermost(int hops) {
    return new SageSampler(fanouts.subList(0, hops));
  }

  @Override
  public List<BlockBound> blocks(Degrees degrees, int batchSize) {
    return BlockBound.ofLayers(
        degrees, batchSize, fanouts, (rows, s) -> rows * Math.min(s, degrees.largest()));
  }

  /// `Q`, and the drawn columns with their row pointers, exist while a layer is drawn.
  @Override
  public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    return SamplingMemory.ofLayers(
        degrees.vertices(),
        blocks,
        BlockBound::bytes,
        block -> Integer.BYTES * (2 * block.targets() + block.entries() + 1));
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return new LayerSampling<>(new Neighbours(), fanouts, a, seed, workers);
  }

  /// A destination `u` draws `v` with probability `min(1, s / deg(u))`, and so `d_v = 1 - prod_u (1
  /// - p_u min(1, s / deg(u)))` (see [InputProbabilities]).
  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize) {
    double[] p = InputProbabilities.ofBatch(a, training, batchSize);
    int[] degrees = a.rowLengths();
    for (int s : fanouts) {
      double[] missed = new double[p.length];
      for (int u = 0; u < p.length; u++) {
        missed[u] = Math.log1p(-p[u] * Math.min(1, (double) s / degrees[u]));
      }
      InputProbabilities.include(p, InputProbabilities.complement(a.sumsOfOthers(missed)));
    }
    return p;
  }

  /// `Q` has a row for each destination, with one entry; so `P` is a selection of rows, and `P`
  /// divided by its row sums is uniform.
  private static final class Neighbours implements LayerRule<SelectedRows> {
    @Override
    public SelectedRows rows(AdjacencyRows a, Arena arena, Frontier q, int s, Draws draws) {
      int[] vertices = q.stacked();
      return NeighbourRows.of(
          a, arena, vertices, s, draws, new NeighbourPlaces(vertices, q.numbersOfRows(), 0));
    }

    @Override
    public SelectedRows product(Arena arena, Frontier q, SelectedRows rows, Workers workers) {
      return rows;
    }

    @Override
    public Distributions norm(SelectedRows p) {
      return new Distributions.OfDestinations(p);
    }

    @Override
    public SampledBlock extract(
        Arena arena,
        SelectedRows rows,
        int from,
        int[] destinations,
        Drawn drawn,
        BlockMaker blocks) {
      return blocks.neighbours(arena, rows, from, destinations, drawn);
    }
  }
}
