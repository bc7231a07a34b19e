package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.blocks.SampledNeighbourhoods;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import dev.gossamer.gnn.sampling.matrices.InverseTransform;
import dev.gossamer.gnn.sampling.matrices.PartitionedAdjacencyTest;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import dev.gossamer.gnn.sampling.matrices.WeightedRow;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is promised of expectations, over many batches. Means may be off by five standard errors,
/// which happens by chance once in two million.
class UnbiasedTest {
  private static final int BATCHES = 20_000;
  private static final double ERRORS = 5;
  private static final int N = 9;

  /// Vertex 8 is isolated but for its self loop.
  private static final int[][] EDGES = {
    {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {2, 3}, {4, 5}, {5, 6}, {6, 7}
  };

  private final CsrMatrix a = SmallGraph.undirected(N, EDGES, Normalisation.SYMMETRIC, true);
  private final AdjacencyRows rows = AdjacencyRows.whole(a);
  private final int[] training = {0, 2, 5, 8};
  private final double[] h = {3, -1, 2, 0.5, 7, -4, 1, 2, 6};

  private List<SampledBatch> batches(Sampler sampler, int[] seeds) {
    return batches(sampler, rows, seeds);
  }

  private List<SampledBatch> batches(Sampler sampler, AdjacencyRows of, int[] seeds) {
    try (Workers workers = new Workers(1)) {
      return new BulkSampler(sampler, of, training, 31, workers)
          .sample(Arena.ofAuto(), 3, 0, Collections.nCopies(BATCHES, seeds));
    }
  }

  /// All rows, or those of some consecutive vertices, whose neighbours are partly elsewhere.
  private AdjacencyRows part(int begin, int end) {
    RowDistribution blocks = RowDistribution.ofCounts(begin, end - begin, N - end);
    return end - begin == N
        ? rows
        : AdjacencyRows.own(begin, PartitionedAdjacencyTest.block(a, blocks, 1));
  }

  private double[] aggregated(SampledBlock block) {
    float[][] matrix = block.matrix().toDense();
    double[] sums = new double[matrix.length];
    for (int i = 0; i < sums.length; i++) {
      for (int j = 0; j < matrix[i].length; j++) {
        sums[i] += matrix[i][j] * h[block.sources()[j]];
      }
    }
    return sums;
  }

  private double exact(int v) {
    float[] row = a.toDense()[v];
    return IntStream.range(0, N).mapToDouble(u -> row[u] * h[u]).sum();
  }

  private double neighbours(int v) {
    return Arrays.stream(a.rowColumns(v)).mapToDouble(u -> h[u]).average().orElseThrow();
  }

  private static void near(List<Double> samples, double expected) {
    double[] mean = ChiSquare.mean(samples.stream().mapToDouble(x -> x).toArray());
    // Weights are floats: a sum of a few terms is off by a few roundings.
    double rounding = 20 * Math.ulp(1f) * (1 + Math.abs(expected));
    assertThat(mean[0]).isCloseTo(expected, within(ERRORS * mean[1] + rounding));
  }

  private static List<Sampler> layered() {
    return List.of(Sampler.sage(2), Sampler.ladies(3), Sampler.fastGcn(4));
  }

  @ParameterizedTest
  @MethodSource("layered")
  void aLayerHasTheExpectationOfTheWholeGraph(Sampler sampler) {
    int[] seeds = {0, 5, 6, 8};
    List<List<Double>> sums = new ArrayList<>();
    Arrays.stream(seeds).forEach(seed -> sums.add(new ArrayList<>()));
    for (SampledBatch batch : batches(sampler, seeds)) {
      double[] sum = aggregated(batch.blocks().getFirst());
      for (int i = 0; i < sum.length; i++) {
        sums.get(i).add(sum[i]);
      }
    }
    for (int i = 0; i < seeds.length; i++) {
      near(sums.get(i), sampler.takesMeans() ? neighbours(seeds[i]) : exact(seeds[i]));
    }
  }

  /// Whatever the weights of the entries, with a self loop and without, seed by seed.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSampledRowHasTheExpectationOfTheRow(boolean loops) {
    CsrMatrix matrix = SmallGraph.undirected(N, EDGES, Normalisation.SYMMETRIC, loops);
    AdjacencyRows of = AdjacencyRows.whole(matrix);
    int[] all = IntStream.range(0, N).toArray();
    for (int s = 1; s <= 6; s++) {
      List<List<Double>> sums = new ArrayList<>();
      for (int v = 0; v < N; v++) {
        sums.add(new ArrayList<>());
      }
      for (int seed = 0; seed < BATCHES / 4; seed++) {
        SampledNeighbourhoods sampled = new SampledNeighbourhoods(of, List.of(s), seed);
        try (Arena arena = Arena.ofConfined()) {
          double[] sum = aggregated(sampled.block(arena, 0, all));
          for (int v = 0; v < N; v++) {
            sums.get(v).add(sum[v]);
          }
        }
      }
      for (int v = 0; v < N; v++) {
        float[] row = matrix.toDense()[v];
        near(sums.get(v), IntStream.range(0, N).mapToDouble(u -> row[u] * h[u]).sum());
      }
    }
  }

  private static Stream<Arguments> exactSubgraphs() {
    List<Sampler> samplers =
        List.of(Sampler.saintNode(1, 4), Sampler.saintEdge(1, 2), Sampler.saintWalk(1, 2, 2));

    int[][] parts = {{0, N}, {3, 7}, {5, N}};
    return Arrays.stream(parts)
        .flatMap(part -> samplers.stream().map(s -> Arguments.of(s, part[0], part[1])))
        // Walks that end where rows are elsewhere are counted, and so not without bias.
        .filter(each -> !(each.get()[0] instanceof SaintWalkSampler) || each.get()[1].equals(0));
  }

  /// Of a part of the graph: the expectations of its vertices' rows, and their part of the loss.
  @ParameterizedTest
  @MethodSource("exactSubgraphs")
  void aSubgraphHasTheExpectationsOfTheWholeGraph(Sampler sampler, int begin, int end) {
    List<List<Double>> sums = new ArrayList<>();
    for (int v = 0; v < N; v++) {
      sums.add(new ArrayList<>());
    }
    List<Double> losses = new ArrayList<>();
    for (SampledBatch batch : batches(sampler, part(begin, end), training)) {
      double[] sum = aggregated(batch.blocks().getFirst());
      double loss = 0;
      for (int i = 0; i < sum.length; i++) {
        sums.get(batch.seeds()[i]).add(sum[i]);
        loss += batch.lossWeights()[i] * h[batch.seeds()[i]];
      }
      losses.add(loss);
    }
    double ofPart =
        Arrays.stream(training).filter(v -> v >= begin && v < end).mapToDouble(v -> h[v]).sum();
    near(losses, ofPart / training.length);
    for (int v = begin; v < end; v++) {
      assertThat(sums.get(v)).hasSizeGreaterThan(100);
      near(sums.get(v), exact(v));
    }
    assertThat(sums.stream().mapToInt(List::size).sum())
        .isEqualTo(sums.subList(begin, end).stream().mapToInt(List::size).sum());
  }

  /// All sequences of draws, each with its probability.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void probabilitiesOfNodesAreThoseOfAllSequences(int draws) {
    WeightedRow importance = WeightedRow.columnNorms(rows);
    double[] vertex = new double[N];
    double[][] pair = new double[N][N];
    int sequences = (int) Math.pow(N, draws);
    for (int sequence = 0; sequence < sequences; sequence++) {
      double probability = 1;
      int[] drawn = new int[draws];
      for (int d = 0, rest = sequence; d < draws; d++, rest /= N) {
        drawn[d] = rest % N;
        probability *= importance.weight(drawn[d]) / importance.mass();
      }
      add(drawn, probability, vertex, pair);
    }
    agree(SubgraphProbabilities.Independent.ofNodes(importance, draws), vertex, pair);
  }

  /// All sequences of walks of one step.
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void probabilitiesOfEdgesAreThoseOfAllSequences(int draws) {
    List<int[]> arcs = new ArrayList<>();
    List<Double> chances = new ArrayList<>();
    for (int v = 0; v < N; v++) {
      for (int u : a.rowColumns(v)) {
        arcs.add(new int[] {v, u});
        chances.add(1.0 / N / a.rowLength(v));
      }
    }
    double[] vertex = new double[N];
    double[][] pair = new double[N][N];
    int sequences = (int) Math.pow(arcs.size(), draws);
    for (int sequence = 0; sequence < sequences; sequence++) {
      double probability = 1;
      int[] drawn = new int[2 * draws];
      for (int d = 0, rest = sequence; d < draws; d++, rest /= arcs.size()) {
        int arc = rest % arcs.size();
        probability *= chances.get(arc);
        drawn[2 * d] = arcs.get(arc)[0];
        drawn[2 * d + 1] = arcs.get(arc)[1];
      }
      add(drawn, probability, vertex, pair);
    }
    int[] all = IntStream.range(0, N).toArray();
    agree(SubgraphProbabilities.Independent.ofEdges(rows, all, draws), vertex, pair);
  }

  /// All sequences of walks, with self loops and without, of which a walk may take one.
  @ParameterizedTest
  @CsvSource({"1, 1, true", "1, 2, true", "2, 1, true", "2, 2, false", "2, 1, false"})
  void probabilitiesOfWalksAreThoseOfAllSequences(int length, int draws, boolean loops) {
    CsrMatrix graph = SmallGraph.undirected(N, EDGES, Normalisation.SYMMETRIC, loops);
    List<int[]> walks = new ArrayList<>();
    List<Double> chances = new ArrayList<>();
    for (int v = 0; v < N; v++) {
      follow(graph, new int[] {v}, length, 1.0 / N, walks, chances);
    }
    double[] vertex = new double[N];
    double[][] pair = new double[N][N];
    int sequences = (int) Math.pow(walks.size(), draws);
    for (int sequence = 0; sequence < sequences; sequence++) {
      double probability = 1;
      IntStream drawn = IntStream.empty();
      for (int d = 0, rest = sequence; d < draws; d++, rest /= walks.size()) {
        probability *= chances.get(rest % walks.size());
        drawn = IntStream.concat(drawn, Arrays.stream(walks.get(rest % walks.size())));
      }
      add(drawn.toArray(), probability, vertex, pair);
    }
    WalkProbabilities exact = new WalkProbabilities(AdjacencyRows.whole(graph), length);
    agree(graph, SubgraphProbabilities.Independent.ofWalks(exact, draws), vertex, pair);
  }

  private static void follow(
      CsrMatrix graph,
      int[] walk,
      int steps,
      double chance,
      List<int[]> walks,
      List<Double> chances) {
    int[] next = graph.rowColumns(walk[walk.length - 1]);
    if (steps == 0 || next.length == 0) {
      walks.add(walk);
      chances.add(chance);
      return;
    }
    for (int u : next) {
      int[] longer = Arrays.copyOf(walk, walk.length + 1);
      longer[walk.length] = u;
      follow(graph, longer, steps - 1, chance / next.length, walks, chances);
    }
  }

  private static void add(int[] drawn, double probability, double[] vertex, double[][] pair) {
    int[] distinct = InverseTransform.distinct(drawn);
    for (int v : distinct) {
      vertex[v] += probability;
      for (int u : distinct) {
        pair[v][u] += probability;
      }
    }
  }

  private void agree(SubgraphProbabilities probabilities, double[] vertex, double[][] pair) {
    agree(a, probabilities, vertex, pair);
  }

  private static void agree(
      CsrMatrix graph, SubgraphProbabilities probabilities, double[] vertex, double[][] pair) {
    int[] all = IntStream.range(0, N).toArray();
    SelectedRows selected = AdjacencyRows.whole(graph).select(Arena.ofAuto(), all);
    for (int v = 0; v < N; v++) {
      assertThat(probabilities.vertex(v)).isCloseTo(vertex[v], within(1e-12));
      for (int u : graph.rowColumns(v)) {
        assertThat(probabilities.pair(selected, all, v, u, graph.find(v, u)))
            .isCloseTo(pair[v][u], within(1e-12));
      }
    }
  }

  /// Estimates and frequencies of other subgraphs are two means of as many samples, whether walks
  /// go anywhere or end where rows are elsewhere.
  @ParameterizedTest
  @CsvSource({"0, 9", "3, 7"})
  void probabilitiesOfWalksAreCounted(int begin, int end) {
    AdjacencyRows part = part(begin, end);
    int[] roots = IntStream.range(begin, end).toArray();
    SubgraphDraw draw = new SubgraphDraw.Walks(part, roots, 2, 2, 5);
    SubgraphProbabilities counted = counted(part, draw);
    double[] vertex = new double[N];
    double[][] pair = new double[N][N];
    for (int[] drawn : draw.draw(Purpose.ROOTS, 0, new BatchNumbers(0, 1), BATCHES)) {
      add(drawn, 1.0 / BATCHES, vertex, pair);
    }
    SelectedRows selected = part.select(Arena.ofAuto(), roots);
    int[] all = IntStream.range(0, N).map(i -> (begin + i) % N).toArray();
    for (int v = begin; v < end; v++) {
      assertThat(vertex[v]).isBetween(0.05, 0.95);
      assertThat(counted.vertex(v)).isCloseTo(vertex[v], within(bound(vertex[v])));
      for (int u : a.rowColumns(v)) {
        int i = v - begin;
        long e = selected.matrix().find(part.hasAll() ? v : i, u);
        assertThat(counted.pair(selected, all, i, Math.floorMod(u - begin, N), e))
            .isCloseTo(pair[v][u], within(bound(pair[v][u])));
      }
    }
  }

  private static SubgraphProbabilities counted(AdjacencyRows part, SubgraphDraw draw) {
    try (Workers workers = new Workers(2)) {
      return new SubgraphProbabilities.Counted(part, draw, BATCHES, workers);
    }
  }

  private static double bound(double probability) {
    return ERRORS * Math.sqrt(2 * probability * (1 - probability) / BATCHES) + 1.0 / BATCHES;
  }
}
