package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// `saint-walk`: the subgraph of the vertices on random walks from roots that are drawn uniformly
/// with replacement (GraphSAINT, section 3.4). The probabilities of vertices and edges are computed
/// for walks of one or two steps on an undirected graph whose rows are all accessible; otherwise
/// they are counted in subgraphs that are drawn before the run.
///
/// @param layers of the network
/// @param batchSize walks per batch
/// @param walkLength steps of a walk
/// @param occurrences how often a vertex occurs, on average, in the subgraphs that are counted
public record SaintWalkSampler(int layers, int batchSize, int walkLength, int occurrences)
    implements SubgraphSampler {
  static final String NAME = "saint-walk";

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if a number is less than 1
  public SaintWalkSampler {
    InvalidSettingException.requireAtLeast("layers", layers, 1);
    InvalidSettingException.requireAtLeast("batchSize", batchSize, 1);
    InvalidSettingException.requireAtLeast("walkLength", walkLength, 1);
    InvalidSettingException.requireAtLeast("occurrences", occurrences, 1);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Map<String, List<Integer>> options() {
    return Map.of("walkLength", List.of(walkLength));
  }

  @Override
  public long visited() {
    return (walkLength + 1L) * batchSize;
  }

  @Override
  public SaintWalkSampler withBatchSize(int size) {
    return new SaintWalkSampler(layers, size, walkLength, occurrences);
  }

  /// {@return a copy with another number of occurrences}
  ///
  /// @param average occurrences of a vertex
  public SaintWalkSampler withOccurrences(int average) {
    return new SaintWalkSampler(layers, batchSize, walkLength, average);
  }

  @Override
  public Sampling draft(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return new SubgraphSampling(
        layers, draw(a, seed), SubgraphProbabilities.CERTAIN, a, training, workers);
  }

  private SubgraphDraw draw(AdjacencyRows a, long seed) {
    int[] roots = IntStream.range(a.begin(), a.end()).toArray();
    return new SubgraphDraw.Walks(a, roots, batchSize, walkLength, seed);
  }

  /// Subgraphs that are drawn to count: enough that their vertices, those drawn twice included, are
  /// [#occurrences] times those of the graph.
  ///
  /// @param vertices where a walk may begin
  private int estimates(int vertices) {
    return Math.toIntExact(Math.ceilDiv((long) occurrences * vertices, visited()));
  }

  /// Counts or computed probabilities are kept.
  @Override
  public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    boolean computes = walkLength <= WalkProbabilities.LONGEST && degrees.undirected();
    return SubgraphSampler.super
        .memory(degrees, blocks)
        .withKept(
            computes
                ? WalkProbabilities.bytes(degrees.vertices())
                : SubgraphProbabilities.Counted.bytes(degrees.vertices(), degrees.sum()));
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    SubgraphDraw draw = draw(a, seed);
    SubgraphProbabilities probabilities =
        walkLength <= WalkProbabilities.LONGEST && a.isUndirected()
            ? SubgraphProbabilities.Independent.ofWalks(
                new WalkProbabilities(a, walkLength), batchSize)
            : new SubgraphProbabilities.Counted(a, draw, estimates(a.end() - a.begin()), workers);
    return new SubgraphSampling(layers, draw, probabilities, a, training, workers);
  }

  /// `1 - exp(-r sum_t pi_v^t)`, where `pi_v^0 = 1 / n` for the `n` vertices where a walk may
  /// begin, `pi_v^t` is the probability that a walk is at `v` in step `t`, and `r` is the number of
  /// walks; exact except for walks that return.
  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int size) {
    int[] degrees = a.rowLengths();
    double[] at = new double[a.vertices()];
    Arrays.fill(at, a.begin(), a.end(), 1.0 / (a.end() - a.begin()));
    double[] visits = at.clone();
    for (int step = 1; step <= walkLength; step++) {
      double[] before = at;
      at = a.columnSums((row, column, coefficient, degree) -> before[row] / degree);
      for (int v = 0; v < at.length; v++) {
        // A walk stays where there are no neighbours, and was counted there already.
        visits[v] += at[v];
        at[v] += degrees[v] == 0 ? before[v] : 0;
      }
    }
    Arrays.setAll(visits, v -> -Math.expm1(-batchSize * visits[v]));
    return visits;
  }
}
