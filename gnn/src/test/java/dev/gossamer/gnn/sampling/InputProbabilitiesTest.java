package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.PartitionedAdjacencyTest;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InputProbabilitiesTest {
  private static final int N = 2000;
  private static final int BATCH = 25;
  private static final int EPOCHS = 12;

  /// Degrees follow a power law of exponent 2.5, and one vertex in five is for training.
  private final CsrMatrix graph = powerLaw();

  private final int[] training =
      new Random(4).ints(0, N).distinct().limit(N / 5).sorted().toArray();

  /// One end of each edge is uniform, the other `v` with a probability of about `v^(-2/3)`.
  private static CsrMatrix powerLaw() {
    Random random = new Random(3);
    int[][] edges = new int[12_000][];
    for (int k = 0; k < edges.length; k++) {
      edges[k] = new int[] {random.nextInt(N), (int) (N * Math.pow(random.nextDouble(), 3))};
    }
    return SmallGraph.undirected(N, edges, Normalisation.SYMMETRIC, false);
  }

  static List<Sampler> samplers() {
    return List.of(
        Sampler.sage(5, 4),
        Sampler.ladies(60, 60),
        Sampler.fastGcn(60, 60),
        Sampler.saintNode(2, 80),
        Sampler.saintEdge(2, 40),
        Sampler.saintWalk(2, 30, 3).withOccurrences(1));
  }

  /// How often each vertex is an input of one of many batches.
  private int[] count(Sampler sampler, long seed) {
    int[] counts = new int[N];
    try (Workers workers = new Workers(1)) {
      BulkSampler bulk =
          new BulkSampler(sampler, AdjacencyRows.whole(graph), training, seed, workers);
      for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        EpochBatches batches = new EpochBatches(training, BATCH, seed, epoch);
        try (Arena arena = Arena.ofShared()) {
          for (SampledBatch batch :
              bulk.sample(arena, epoch, 0, batches.batches(0, batches.count()))) {
            for (int v : batch.inputs()) {
              counts[v]++;
            }
          }
        }
      }
    }
    return counts;
  }

  private int batches() {
    return EPOCHS * Math.ceilDiv(training.length, BATCH);
  }

  private double[] probabilities(Sampler sampler) {
    return sampler.inputProbabilities(AdjacencyRows.whole(graph), training, BATCH);
  }

  /// Share of all accesses that go to the vertices ranked first.
  private static double hitRate(int[] counts, double[] ranking, int kept) {
    int[] first =
        IntStream.range(0, N)
            .boxed()
            .sorted(Comparator.comparingDouble(v -> -ranking[v]))
            .limit(kept)
            .mapToInt(v -> v)
            .toArray();
    long hits = Arrays.stream(first).mapToLong(v -> counts[v]).sum();
    return (double) hits / Arrays.stream(counts).asLongStream().sum();
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void aCacheThatGoesByThemHitsMoreThanOneThatGoesByDegree(Sampler sampler) {
    int[] counts = count(sampler, 17);
    double[] degrees = new double[N];
    Arrays.setAll(degrees, v -> graph.rowLength(v));
    double[] random = new Random(5).doubles(N).toArray();
    double[] seen = Arrays.stream(count(sampler, 18)).asDoubleStream().toArray();
    for (int kept : new int[] {N / 20, N / 5}) {
      double analytic = hitRate(counts, probabilities(sampler), kept);
      assertThat(analytic).isGreaterThan(hitRate(counts, random, kept));
      assertThat(analytic).isGreaterThan(hitRate(counts, degrees, kept));
      // What other batches wanted is what a cache could learn; its counts are few.
      assertThat(analytic).isGreaterThan(0.99 * hitRate(counts, seen, kept));
    }
  }

  /// Only that destinations are not independent stands between the two, which is less than a fifth.
  @ParameterizedTest
  @MethodSource("samplers")
  void theirSumIsTheNumberOfInputs(Sampler sampler) {
    double found = Arrays.stream(count(sampler, 19)).average().orElseThrow() * N / batches();
    double expected = Arrays.stream(probabilities(sampler)).sum();
    assertThat(expected).isBetween(0.8 * found, 1.2 * found);
  }

  /// A batch of all training vertices leaves nothing to chance but the draws of one layer.
  @Test
  void whereNothingIsApproximatedTheyAreTheFrequencies() {
    AdjacencyRows whole = AdjacencyRows.whole(graph);
    requireFrequencies(Sampler.saintNode(2, 80), whole, BATCH);
    requireFrequencies(Sampler.saintEdge(2, 40), whole, BATCH);
    requireFrequencies(Sampler.sage(3), whole, training.length);
  }

  /// Of the halo too, which the subgraphs of a part of the graph end at.
  @Test
  void subgraphsOfAPartOfTheGraphReadWhatIsExpected() {
    RowDistribution blocks = RowDistribution.ofCounts(N / 4, N / 2, N / 4);
    AdjacencyRows part = AdjacencyRows.own(N / 4, PartitionedAdjacencyTest.block(graph, blocks, 1));
    requireFrequencies(Sampler.saintNode(2, 80), part, BATCH);
    requireFrequencies(Sampler.saintEdge(2, 40), part, BATCH);
    requireFrequencies(Sampler.saintWalk(2, 40, 1), part, BATCH);
  }

  private void requireFrequencies(Sampler sampler, AdjacencyRows a, int batchSize) {
    double[] p = sampler.inputProbabilities(a, training, batchSize);
    int[] counts = new int[N];
    int batches = 400;
    try (Workers workers = new Workers(1)) {
      BulkSampler bulk = new BulkSampler(sampler, a, training, 23, workers);
      for (int number = 0; number < batches; number++) {
        try (Arena arena = Arena.ofShared()) {
          for (int v : bulk.sample(arena, 1, number, List.of(training)).getFirst().inputs()) {
            counts[v]++;
          }
        }
      }
    }
    for (int v = 0; v < N; v++) {
      // Five standard deviations, and three for those that hardly ever occur.
      double deviation = 5 * Math.sqrt(batches * p[v] * (1 - p[v])) + 3;
      assertThat((double) counts[v])
          .as("vertex %d", v)
          .isCloseTo(batches * p[v], within(deviation));
    }
  }

  /// The paper's batch `{1, 5}`: columns have the norms `[1, 0, 1, 1, sqrt(2), 0]`, and one vertex
  /// that is drawn is one of those.
  @Test
  void theBatchOfThePaper() {
    AdjacencyRows a = AdjacencyRows.whole(SmallGraph.ofThePaper());
    double[] p = Sampler.ladies(1).inputProbabilities(a, new int[] {1, 5}, 2);
    assertThat(p[1]).isEqualTo(1);
    assertThat(p[5]).isEqualTo(1);
    assertThat(p[0]).isEqualTo(p[2]).isEqualTo(p[3]);
    assertThat(p[0] + p[2] + p[3] + p[4]).isCloseTo(1, within(1e-8));
    // What is not drawn at weight 1 with x is not drawn at sqrt(2) with x^sqrt(2).
    assertThat(p[4]).isCloseTo(1 - Math.pow(1 - p[0], Math.sqrt(2)), within(1e-12));
    double[] all = Sampler.ladies(4).inputProbabilities(a, new int[] {1, 5}, 2);
    assertThat(all).containsExactly(1, 1, 1, 1, 1, 1);
  }

  @Test
  void ranksThatHoldPartsOfTheGraphFindTheSame() {
    RowDistribution distribution = RowDistribution.ofCounts(N / 4, 0, 3 * N / 4);
    for (Sampler sampler : samplers()) {
      double[] expected = probabilities(sampler);
      ThreadRanks.run(
          3,
          world -> {
            try (ProcessGrid grid = new ProcessGrid(world, 1)) {
              CsrMatrix own = PartitionedAdjacencyTest.block(graph, distribution, grid.row());
              AdjacencyRows a = AdjacencyRows.partitioned(grid, distribution, own);
              assertThat(sampler.inputProbabilities(a, training, BATCH)).isEqualTo(expected);
            }
          });
    }
  }

  @Test
  void aGraphWithoutEdgesIsNamed() {
    AdjacencyRows none =
        AdjacencyRows.whole(SmallGraph.undirected(3, new int[][] {}, Normalisation.NONE, false));
    assertThatThrownBy(() -> Sampler.saintNode(1, 2).inputProbabilities(none, training, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("needs a graph with edges, found 3 vertices and no edge");
    assertThat(Sampler.sage(2).inputProbabilities(none, new int[] {1, 2}, 1))
        .containsExactly(0, 0.5, 0.5);
  }
}
