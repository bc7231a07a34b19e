package dev.gossamer.gnn.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.link.LinkDecoder.Kind;
import dev.gossamer.gnn.objective.LinkObjective;
import dev.gossamer.gnn.sampling.BatchItems;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Negatives;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Glorot;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchLinksTest {
  private static final int N = 70;
  private static final int WIDTH = 6;
  private static final int EPOCH = 3;
  private static final int BATCHES = 4;
  private static final long SEED = 5;

  private final Arena arena = Arena.ofShared();
  private final Workers workers = new Workers(2);
  private final Kernels kernels = new Kernels(workers, Matmul.java());
  private final Placement placement = Placement.random(N, 1, 3);
  private final LinkSplit.Parts parts;
  private final LinkComparison comparison;
  private final BatchLinks links;

  BatchLinksTest() {
    SplittableRandom random = new SplittableRandom(1);
    GraphData data =
        GraphData.builder(N)
            .edges(
                IntStream.range(0, 4 * N).map(e -> e / 4).toArray(),
                IntStream.range(0, 4 * N).map(_ -> random.nextInt(N)).toArray())
            .directed()
            .build();
    parts = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.4, 1).of(arena, data);
    LinkTask task =
        new LinkTask(
            parts,
            WIDTH,
            2,
            Negatives.By.UNIFORM,
            new LinkTask.Candidates(7, LinkTask.CandidateSet.OWN),
            0);
    comparison = LinkComparison.of(data.withLinks(task));
    links = new BatchLinks(comparison, placement, SEED);
  }

  @AfterEach
  void close() {
    workers.close();
    arena.close();
  }

  private BatchItems.OfEdges items() {
    int[] all = IntStream.range(0, N).toArray();
    return (BatchItems.OfEdges) BatchItems.of(new LinkObjective(comparison), all, placement, SEED);
  }

  private LinkDecoder decoder(Kind kind) {
    return LinkDecoder.of(kind, parts);
  }

  private DenseState state(LinkDecoder decoder) {
    ParameterLayout.Builder layout = ParameterLayout.builder();
    decoder.declare(layout, WIDTH, true);
    DenseState state = new DenseState(arena, layout.build());
    Glorot.initialise(state, 2);
    return state;
  }

  private DenseMatrix outputs() {
    SplittableRandom random = new SplittableRandom(8);
    DenseMatrix outputs = DenseMatrix.allocate(arena, N, WIDTH);
    for (int v = 0; v < N; v++) {
      for (int j = 0; j < WIDTH; j++) {
        outputs.set(v, j, (float) random.nextDouble(-1, 1));
      }
    }
    return outputs;
  }

  /// The batches of an epoch divide the mean over all pairs, and its gradients.
  @ParameterizedTest
  @EnumSource(Kind.class)
  void batchesAddUpToTheLossOfTheEpoch(Kind kind) {
    LinkDecoder decoder = decoder(kind);
    DenseState state = state(decoder);
    DenseMatrix whole = outputs();
    Communicator alone = ThreadRanks.alone();
    double loss =
        new RankLinks(comparison, decoder, SEED, alone, placement, Team.of(alone, arena), kernels)
            .lossAndGradient(whole, EPOCH, state);
    float[] ofWhole = state.gradients().toArray(ValueLayout.JAVA_FLOAT);

    DenseMatrix z = outputs();
    double[][] gradients = new double[N][WIDTH];
    double[] parameters = new double[ofWhole.length];
    double sum = 0;
    for (int b = 0; b < BATCHES; b++) {
      BatchLinks.Batch batch = links.batch(EPOCH, items().edges(BATCHES, EPOCH).batch(b));
      int[] vertices = batch.vertices();
      DenseMatrix some = DenseMatrix.allocate(arena, vertices.length, WIDTH);
      for (int i = 0; i < vertices.length; i++) {
        some.rows(i, i + 1L).copyFrom(z.rows(vertices[i], vertices[i] + 1L));
      }
      sum += batch.lossAndGradient(decoder, some, parts.train().count(), state, kernels);
      for (int i = 0; i < vertices.length; i++) {
        for (int j = 0; j < WIDTH; j++) {
          gradients[vertices[i]][j] += some.get(i, j);
        }
      }
      for (int p = 0; p < parameters.length; p++) {
        parameters[p] += state.gradients().getAtIndex(ValueLayout.JAVA_FLOAT, p);
      }
    }
    assertThat(sum).isCloseTo(loss, within(1e-6));
    for (int v = 0; v < N; v++) {
      for (int j = 0; j < WIDTH; j++) {
        assertThat(gradients[v][j]).isCloseTo(whole.get(v, j), within(1e-6));
      }
    }
    for (int p = 0; p < parameters.length; p++) {
      assertThat(parameters[p]).isCloseTo(ofWhole[p], within(1e-6));
    }
  }

  @Test
  void anEpochHasEachEdgeOnceAndItsBatchesTheEnds() {
    List<Integer> seen = new ArrayList<>();
    for (int b = 0; b < BATCHES; b++) {
      int[] edges = items().edges(BATCHES, EPOCH).batch(b);
      int[] vertices = items().batches(BATCHES, EPOCH).apply(b);
      assertThat(vertices).isSorted().doesNotHaveDuplicates();
      assertThat(vertices.length)
          .isBetween(2, items().mostVertices(edges.length))
          .isLessThanOrEqualTo(N);
      for (int edge : edges) {
        seen.add(edge);
        assertThat(vertices)
            .contains(
                placement.newId(parts.train().sources()[edge]),
                placement.newId(parts.train().targets()[edge]));
      }
    }
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, parts.train().count()).boxed().toList());
    assertThat(items().mostVertices(5)).isEqualTo(20);
    assertThat(items().mostVertices(1 << 30)).isEqualTo(N);
    assertThat(items().batches(BATCHES, EPOCH + 1).apply(0))
        .isNotEqualTo(items().batches(BATCHES, EPOCH).apply(0));
  }
}
