package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.gnn.sampling.matrices.WeightedRow;
import java.util.List;
import java.util.stream.IntStream;

/// `saint-edge`: the subgraph of the ends of edges that are drawn with replacement, `{u, v}` with
/// probability proportional to `1 / deg(u) + 1 / deg(v)` (GraphSAINT, section 3.4). Needs a graph
/// with edges.
///
/// @param layers of the network
/// @param batchSize edges drawn for a batch
public record SaintEdgeSampler(int layers, int batchSize) implements SubgraphSampler {
  static final String NAME = "saint-edge";

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if a number is less than 1
  public SaintEdgeSampler {
    InvalidSettingException.requireAtLeast("layers", layers, 1);
    InvalidSettingException.requireAtLeast("batchSize", batchSize, 1);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public long visited() {
    return 2L * batchSize;
  }

  @Override
  public SaintEdgeSampler withBatchSize(int size) {
    return new SaintEdgeSampler(layers, size);
  }

  /// The vertices with neighbours, and the probability that one draw takes each vertex, are kept.
  @Override
  public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    return SubgraphSampler.super
        .memory(degrees, blocks)
        .withKept(WeightedRow.bytes(degrees.vertices()));
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    int[] candidates = withNeighbours(a);
    return new SubgraphSampling(
        layers,
        new SubgraphDraw.Walks(a, candidates, batchSize, 1, seed),
        SubgraphProbabilities.Independent.ofEdges(a, candidates, batchSize),
        a,
        training,
        workers);
  }

  /// The probability of each vertex in a subgraph, exactly.
  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int size) {
    return InputProbabilities.ofSubgraph(
        a, SubgraphProbabilities.Independent.ofEdges(a, withNeighbours(a), batchSize));
  }

  private int[] withNeighbours(AdjacencyRows a) {
    int[] lengths = a.rowLengths();
    int[] candidates = IntStream.range(0, lengths.length).filter(v -> lengths[v] > 0).toArray();
    WeightedRow.requireEdges(name(), a, candidates.length);
    return candidates;
  }
}
