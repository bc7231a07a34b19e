package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Samplers draw one vertex, edge or walk each time, with the probabilities of their papers.
class DrawnDistributionsTest {
  private static final int TIMES = 20_000;
  private static final int N = 7;
  private static final int[][] EDGES = {
    {0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {4, 5}, {5, 6}
  };

  private final CsrMatrix a = SmallGraph.undirected(N, EDGES, Normalisation.SYMMETRIC, true);

  private List<SampledBatch> sample(Sampler sampler, int... seeds) {
    try (Workers workers = new Workers(1)) {
      return new BulkSampler(sampler, AdjacencyRows.whole(a), seeds, 17, workers)
          .sample(Arena.ofAuto(), 1, 0, Collections.nCopies(TIMES, seeds));
    }
  }

  /// The only source that is no destination; a name without one if there is none.
  private static String drawn(SampledBatch batch) {
    SampledBlock block = batch.blocks().getFirst();
    return name(Arrays.copyOfRange(block.sources(), block.destinations(), block.sources().length));
  }

  private static String name(int... vertices) {
    TreeSet<Integer> distinct = new TreeSet<>();
    Arrays.stream(vertices).forEach(distinct::add);
    return distinct.toString();
  }

  private static Map<String, Double> proportional(double[] weights) {
    double mass = Arrays.stream(weights).sum();
    Map<String, Double> expected = new HashMap<>();
    for (int v = 0; v < weights.length; v++) {
      if (weights[v] > 0) {
        expected.put(name(v), weights[v] / mass);
      }
    }
    return expected;
  }

  private static Map<String, Integer> counted(List<String> outcomes) {
    Map<String, Integer> counts = new HashMap<>();
    outcomes.forEach(outcome -> counts.merge(outcome, 1, Integer::sum));
    return counts;
  }

  @Test
  void ladiesDrawsByColumnNormsInTheBatchWhatTheBatchHasNot() {
    int[] seeds = {1, 3, 5};
    double[] norms = new double[N];
    float[][] dense = a.toDense();
    for (int u = 0; u < N; u++) {
      for (int v : seeds) {
        norms[u] += (double) dense[v][u] * dense[v][u];
      }
      norms[u] = Math.sqrt(norms[u]);
    }
    Arrays.stream(seeds).forEach(v -> norms[v] = 0);
    ChiSquare.requireDrawnFrom(
        proportional(norms),
        counted(
            sample(Sampler.ladies(1), seeds).stream().map(DrawnDistributionsTest::drawn).toList()));
  }

  @Test
  void fastGcnAndSaintNodesDrawByColumnNorms() {
    double[] norms = new double[N];
    for (float[] row : a.toDense()) {
      for (int u = 0; u < N; u++) {
        norms[u] += (double) row[u] * row[u];
      }
    }
    Map<String, Double> expected = proportional(norms);
    // A destination that is drawn is there already.
    Map<String, Double> beyond = new HashMap<>(expected);
    beyond.put(name(), Stream.of(1, 3).mapToDouble(v -> expected.getOrDefault(name(v), 0.0)).sum());
    List.of(1, 3).forEach(v -> beyond.remove(name(v)));
    ChiSquare.requireDrawnFrom(
        beyond,
        counted(
            sample(Sampler.fastGcn(1), 1, 3).stream().map(DrawnDistributionsTest::drawn).toList()));
    ChiSquare.requireDrawnFrom(
        expected,
        counted(
            sample(Sampler.saintNode(1, 1), 1, 3).stream()
                .map(batch -> name(batch.seeds()))
                .toList()));
  }

  /// A self loop is an edge with one end.
  @Test
  void saintEdgesAreDrawnByInverseDegrees() {
    Map<String, Double> expected = new HashMap<>();
    for (int v = 0; v < N; v++) {
      for (int u : a.rowColumns(v)) {
        double inverse =
            u == v ? 1.0 / a.rowLength(v) : 1.0 / a.rowLength(v) + 1.0 / a.rowLength(u);
        expected.put(name(u, v), inverse / N);
      }
    }
    ChiSquare.requireDrawnFrom(
        expected,
        counted(
            sample(Sampler.saintEdge(1, 1), 0).stream()
                .map(batch -> name(batch.seeds()))
                .toList()));
  }

  @Test
  void saintWalksStepToUniformNeighbours() {
    Map<String, Double> expected = new HashMap<>();
    for (int v = 0; v < N; v++) {
      for (int u : a.rowColumns(v)) {
        for (int t : a.rowColumns(u)) {
          double probability = 1.0 / N / a.rowLength(v) / a.rowLength(u);
          expected.merge(name(v, u, t), probability, Double::sum);
        }
      }
    }
    ChiSquare.requireDrawnFrom(
        expected,
        counted(
            sample(Sampler.saintWalk(1, 1, 2).withOccurrences(1), 0).stream()
                .map(batch -> name(batch.seeds()))
                .toList()));
  }
}
