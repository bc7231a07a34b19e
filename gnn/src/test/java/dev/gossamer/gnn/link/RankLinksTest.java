package dev.gossamer.gnn.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.Placement;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Links;
import dev.gossamer.graph.Negatives;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Metric;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.DoubleAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankLinksTest {
  private static final int N = 60;
  private static final int WIDTH = 9;

  private final Arena arena = Arena.ofShared();
  private final float[][] z = new float[N][WIDTH];
  private final GraphData data = graph();
  private final LinkSplit.Parts parts =
      new LinkSplit(new LinkSplit.Proportions(0.6, 0.2), 0.4, 1).of(arena, data);
  private final LinkComparison comparison =
      LinkComparison.of(
          data.withLinks(
              new LinkTask(
                  parts,
                  WIDTH,
                  2,
                  Negatives.By.UNIFORM,
                  new LinkTask.Candidates(7, LinkTask.CandidateSet.OWN),
                  0)));

  RankLinksTest() {
    SplittableRandom random = new SplittableRandom(4);
    for (float[] row : z) {
      for (int j = 0; j < WIDTH; j++) {
        row[j] = (float) random.nextDouble(-1, 1);
      }
    }
  }

  @AfterEach
  void close() {
    arena.close();
  }

  private GraphData graph() {
    return GraphData.of(
        arena,
        GraphData.Info.of("ring"),
        CsrBuilder.undirected(N)
            .build(
                arena,
                sink -> {
                  for (int v = 0; v < N; v++) {
                    for (int d = 1; d <= 4; d++) {
                      sink.arc(v, (v + d * d) % N, 1);
                    }
                  }
                }));
  }

  /// A dot product has no parameters.
  private DenseState state() {
    return new DenseState(arena, ParameterLayout.builder().build());
  }

  /// What a rank does with the outputs of its vertices.
  @FunctionalInterface
  private interface Use {
    void of(RankLinks links, DenseMatrix outputs, int[] members);
  }

  private void onRanks(int ranks, Use use) {
    onRanks(comparison, ranks, use);
  }

  private void onRanks(LinkComparison compared, int ranks, Use use) {
    Placement placement = Placement.random(N, ranks, 3);
    ThreadRanks.run(
        ranks,
        comm -> {
          try (Arena mine = Arena.ofShared();
              Workers workers = new Workers(2)) {
            int[] members = placement.members(comm.rank());
            DenseMatrix outputs = DenseMatrix.allocate(mine, members.length, WIDTH);
            for (int i = 0; i < members.length; i++) {
              for (int j = 0; j < WIDTH; j++) {
                outputs.set(i, j, z[members[i]][j]);
              }
            }
            RankLinks links =
                new RankLinks(
                    compared,
                    LinkDecoder.DOT,
                    5,
                    comm,
                    placement,
                    Team.of(comm, mine),
                    new Kernels(workers, Matmul.java()));
            use.of(links, outputs, members);
          }
        });
  }

  /// The loss of one epoch, and its gradient by vertex.
  @SuppressWarnings("ArrayRecordComponent")
  private record Step(double loss, float[][] gradient) {}

  private Step step(int ranks, int epoch) {
    DoubleAdder loss = new DoubleAdder();
    float[][] gradient = new float[N][];
    onRanks(
        ranks,
        (links, outputs, members) -> {
          loss.add(links.lossAndGradient(outputs, epoch, state()));
          float[][] rows = outputs.toArray();
          for (int i = 0; i < members.length; i++) {
            gradient[members[i]] = rows[i];
          }
        });
    return new Step(loss.sum(), gradient);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void anyNumberOfRanksComputesTheSameLossAndGradient(int ranks) {
    Step one = step(1, 3);
    Step many = step(ranks, 3);
    assertThat(many.loss).isCloseTo(one.loss, within(1e-6));
    for (int v = 0; v < N; v++) {
      assertThat(many.gradient[v])
          .as("vertex %d", v)
          .containsExactly(one.gradient[v], within(1e-6f));
    }
  }

  @Test
  void theGradientIsThatOfTheLoss() {
    Step step = step(1, 0);
    float h = 1e-2f;
    for (int v = 0; v < N; v += 7) {
      for (int j = 0; j < WIDTH; j += 4) {
        float was = z[v][j];
        z[v][j] = was + h;
        double above = step(1, 0).loss;
        z[v][j] = was - h;
        double below = step(1, 0).loss;
        z[v][j] = was;
        // The third derivative of a mean of some 400 losses, and rounding of the mean.
        assertThat((double) step.gradient[v][j]).isCloseTo((above - below) / (2 * h), within(2e-5));
      }
    }
  }

  @Test
  void eachEpochDrawsOtherPairs() {
    assertThat(step(1, 1).loss).isNotEqualTo(step(1, 2).loss).isEqualTo(step(1, 1).loss);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void scoresAreTheSameForAnyNumberOfRanks(int ranks) {
    ConcurrentLinkedQueue<Evaluation> found = new ConcurrentLinkedQueue<>();
    onRanks(1, (links, outputs, _) -> found.add(links.evaluate(outputs, state()::weight)));
    onRanks(ranks, (links, outputs, _) -> found.add(links.evaluate(outputs, state()::weight)));
    Evaluation one = found.remove();
    assertThat(one.test().count()).isEqualTo(parts.test().count());
    assertThat(one.validation().count()).isEqualTo(parts.validation().count());
    assertThat(found).hasSize(ranks);
    for (Evaluation other : found) {
      for (Metric metric : one.test().values().keySet()) {
        assertThat(other.test().value(metric).orElseThrow())
            .as("%s", metric)
            .isCloseTo(one.test().value(metric).orElseThrow(), within(1e-9));
      }
    }
  }

  private LinkComparison shared(int pairs) {
    LinkTask.Candidates candidates = new LinkTask.Candidates(pairs, LinkTask.CandidateSet.SHARED);
    return LinkComparison.of(
        data.withLinks(new LinkTask(parts, WIDTH, 2, Negatives.By.UNIFORM, candidates, 0)));
  }

  private double score(int source, int target) {
    float sum = 0;
    for (int j = 0; j < WIDTH; j++) {
      sum += z[source][j] * z[target][j];
    }
    return sum;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void edgesAreRankedAmongTheSamePairsOnAnyNumberOfRanks(int ranks) {
    LinkComparison among = shared(200);
    ConcurrentLinkedQueue<Evaluation> found = new ConcurrentLinkedQueue<>();
    onRanks(
        among, ranks, (links, outputs, _) -> found.add(links.evaluate(outputs, state()::weight)));
    Links test = parts.test();
    Philox philox = Philox.keyed(0, RankLinks.HELD_STREAM, Split.TEST.code());
    double[] pairs = new double[200];
    for (int k = 0; k < pairs.length; k++) {
      long pair = among.held().shared(philox, test, k);
      pairs[k] = score((int) (pair >>> 32), (int) pair);
    }
    double mrr = 0;
    double hits = 0;
    for (int i = 0; i < test.count(); i++) {
      double edge = score(test.sources()[i], test.targets()[i]);
      long above = Arrays.stream(pairs).filter(s -> s > edge).count();
      mrr += 1.0 / (1 + above) / test.count();
      hits += (above < 50 ? 1.0 : 0) / test.count();
    }
    assertThat(found).hasSize(ranks);
    for (Evaluation each : found) {
      // Products of some ten floats in another order may change a place with a close score.
      assertThat(each.test().value(Metric.MRR).orElseThrow()).isCloseTo(mrr, within(1e-3));
      assertThat(each.test().value(Metric.HITS_50).orElseThrow())
          .isCloseTo(hits, within(1.01 / test.count()));
      assertThat(each.validation().value(Metric.HITS_100)).isPresent();
    }
  }

  @Test
  void outputsThatAreAlikeWhereThereIsAnEdgeRankEdgesFirst() {
    // Vertices of one edge alone are alike.
    Links test = parts.test();
    for (float[] row : z) {
      Arrays.fill(row, 0);
    }
    z[test.sources()[0]][0] = 3;
    z[test.targets()[0]][0] = 3;
    onRanks(
        1,
        (links, outputs, _) -> {
          Evaluation.Scores scores = links.evaluate(outputs, state()::weight).test();
          // All others tie with their seven pairs, or lose to one: rank 4.5 or more.
          double first = 1.0 / test.count();
          double tie = (test.count() - 1.0) / test.count() / 4.5;
          assertThat(scores.value(Metric.HITS_1)).hasValue(first);
          assertThat(scores.value(Metric.MRR).orElseThrow())
              .isCloseTo(first + tie, within(0.2 * tie));
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void heuristicsRankTheSamePairsOnAnyNumberOfRanks(int ranks) {
    ConcurrentLinkedQueue<Map<LinkHeuristic, Evaluation.Scores>> found =
        new ConcurrentLinkedQueue<>();
    NeighbourGraph graph = NeighbourGraph.of(arena, data.withLinks(comparison.task()));
    onRanks(1, (links, _, _) -> found.add(links.rankByHeuristics(graph)));
    onRanks(ranks, (links, _, _) -> found.add(links.rankByHeuristics(graph)));
    Map<LinkHeuristic, Evaluation.Scores> one = found.remove();
    assertThat(one).containsOnlyKeys(LinkHeuristic.values());
    for (LinkHeuristic heuristic : LinkHeuristic.values()) {
      Evaluation.Scores expected = Objects.requireNonNull(one.get(heuristic));
      assertThat(expected.count()).isEqualTo(parts.test().count());
      assertThat(expected.value(Metric.LOSS)).isEmpty();
      for (Map<LinkHeuristic, Evaluation.Scores> other : found) {
        Evaluation.Scores again = Objects.requireNonNull(other.get(heuristic));
        assertThat(again.values().keySet()).isEqualTo(expected.values().keySet());
        expected
            .values()
            .forEach((metric, score) ->
                assertThat(again.value(metric).orElseThrow())
                    .as("%s %s", heuristic, metric)
                    .isCloseTo(score, within(1e-9)));
      }
    }
  }

  /// The product of two rows of the adjacency matrix is the number of common neighbours.
  @Test
  void commonNeighboursRankAsTheirVectorsDo() {
    NeighbourGraph graph = NeighbourGraph.of(arena, data.withLinks(comparison.task()));
    onRanks(
        2,
        (links, _, members) -> {
          try (Arena mine = Arena.ofConfined()) {
            DenseMatrix rows = DenseMatrix.allocate(mine, members.length, N);
            for (int i = 0; i < members.length; i++) {
              for (int u : parts.messages().rowColumns(members[i])) {
                rows.set(i, u, 1);
              }
            }
            assertThat(links.rankByHeuristics(graph).get(LinkHeuristic.COMMON_NEIGHBOURS))
                .isEqualTo(links.evaluate(rows, state()::weight).test().without(Metric.LOSS));
          }
        });
  }
}
