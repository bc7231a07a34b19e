package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.gnn.sampling.matrices.Draws;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import dev.gossamer.gnn.sampling.matrices.InverseTransform;
import dev.gossamer.gnn.sampling.matrices.WeightedRow;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// `saint-node`: the subgraph of vertices that are drawn with replacement, `v` with probability
/// proportional to the squared norm of column `v` of `Â` (GraphSAINT, section 3.4). Needs a graph
/// with edges.
///
/// @param layers of the network
/// @param batchSize vertices drawn for a batch
public record SaintNodeSampler(int layers, int batchSize) implements SubgraphSampler {
  static final String NAME = "saint-node";

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if a number is less than 1
  public SaintNodeSampler {
    InvalidSettingException.requireAtLeast("layers", layers, 1);
    InvalidSettingException.requireAtLeast("batchSize", batchSize, 1);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public long visited() {
    return batchSize;
  }

  @Override
  public SaintNodeSampler withBatchSize(int size) {
    return new SaintNodeSampler(layers, size);
  }

  /// The probabilities of one draw are kept twice: as `P` and for the weights.
  @Override
  public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    return SubgraphSampler.super
        .memory(degrees, blocks)
        .withKept(2 * WeightedRow.bytes(degrees.vertices()));
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    WeightedRow importance = importance(a);
    return new SubgraphSampling(
        layers,
        new Nodes(importance, batchSize, seed),
        SubgraphProbabilities.Independent.ofNodes(importance, batchSize),
        a,
        training,
        workers);
  }

  /// The probability of each vertex in a subgraph, exactly.
  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int size) {
    return InputProbabilities.ofSubgraph(
        a, SubgraphProbabilities.Independent.ofNodes(importance(a), batchSize));
  }

  /// The squared norms of the columns. If rows are elsewhere, their entries in column `v` are taken
  /// to be those of row `v` in their columns, as they are if `Â` is symmetric: without them a
  /// vertex whose neighbours are all elsewhere would never be drawn.
  private WeightedRow importance(AdjacencyRows a) {
    double[] elsewhere = new double[a.vertices()];
    double[] norms =
        a.columnSums((row, column, coefficient, length) -> {
          double square = coefficient * coefficient;
          if (column < a.begin() || column >= a.end()) {
            elsewhere[row] += square;
          }
          return square;
        });
    Arrays.setAll(norms, v -> norms[v] + elsewhere[v]);
    WeightedRow importance = new WeightedRow(norms);
    WeightedRow.requireEdges(name(), a, importance.positive());
    return importance;
  }

  /// Vertices that are drawn with replacement from one row `P`.
  private record Nodes(WeightedRow importance, int draws, long seed) implements SubgraphDraw {
    @Override
    public List<int[]> draw(Purpose purpose, long epoch, BatchNumbers numbers, int count) {
      return IntStream.range(0, count)
          .mapToObj(b -> {
            Draws sequence = new Draws(seed, purpose, 0, epoch);
            sequence.at(0, numbers.of(b));
            int drawn = importance.positive() == 0 ? 0 : draws;
            return InverseTransform.repeated(importance, drawn, sequence);
          })
          .toList();
    }
  }
}
