package dev.gossamer.gnn.sampling;

import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
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

  /// The only source with a column.
  private static String drawn(SampledBatch batch) {
    SampledBlock block = batch.blocks().getFirst();
    MemorySegment scales = Objects.requireNonNull(block.matrix().columnScale());
    return name(
        IntStream.range(0, block.sources().length)
            .filter(j -> scales.getAtIndex(ValueLayout.JAVA_FLOAT, j) != 0)
            .map(j -> block.sources()[j])
            .toArray());
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
  void ladiesDrawsBySquaresOfCountsInTheBatch() {
    double[] squares = new double[N];
    float[][] dense = a.toDense();
    for (int u = 0; u < N; u++) {
      int count = 0;
      for (int v : new int[] {1, 3, 5}) {
        count += dense[v][u] > 0 ? 1 : 0;
      }
      squares[u] = count * count;
    }
    ChiSquare.requireDrawnFrom(
        proportional(squares),
        counted(
            sample(Sampler.ladies(1), 1, 3, 5).stream()
                .map(DrawnDistributionsTest::drawn)
                .toList()));
  }

  @Test
  void fastGcnAndSaintNodesDrawByColumnNorms() {
    double[] norms = new double[N];
    for (float[] row : a.toDense()) {
      for (int u = 0; u < N; u++) {
        norms[u] += (double) row[u] * row[u];
      }
    }
    ChiSquare.requireDrawnFrom(
        proportional(norms),
        counted(
            sample(Sampler.fastGcn(1), 1, 3).stream().map(DrawnDistributionsTest::drawn).toList()));
    ChiSquare.requireDrawnFrom(
        proportional(norms),
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
