package dev.gossamer.gnn.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.ShareOf;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.block.BlockStack;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.Glorot;
import dev.gossamer.nn.layers.GraphAttention;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.state.DenseState;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;

/// Inference that goes over the features once gives what inference gives that gathers them.
class InputOnceTest {
  private static final int N = 60;
  private static final int FEATURES = 11;

  static Stream<Arguments> cases() {
    return Stream.of(new Gcn(), new Sage(), new Gin())
        .flatMap(kind ->
            Stream.of(List.<Integer>of(), List.of(4), List.of(5, 9))
                .flatMap(hidden ->
                    IntStream.of(1, 3).mapToObj(ranks -> Arguments.of(kind, hidden, ranks))));
  }

  private static Stream<Finish> finishes(List<Integer> hidden) {
    Finish normalised = new Finish(Activation.Function.GELU, Norm.LAYER, false);
    return hidden.isEmpty()
        ? Stream.of(Finish.USUAL)
        : Stream.of(
            Finish.USUAL, normalised.withFeedForward(true), normalised.withJumping(Jumping.CONCAT));
  }

  @ParameterizedTest
  @ShareOf("cases")
  void logitsAreTheSame(LayerKind kind, List<Integer> hidden, int ranks) {
    finishes(hidden).forEach(finish -> assertLogitsAreTheSame(kind, hidden, finish, ranks));
  }

  static Stream<Arguments> projections() {
    Finish everything = new Finish(Activation.Function.GELU, Norm.LAYER, true);
    return Stream.of(
            new Gcn(),
            new Sage(),
            new Gin(),
            new Gin(3),
            new Gat(),
            new Gat(2, GraphAttention.Variant.V2, 0),
            new Rgcn(),
            new Rsage())
        .flatMap(kind ->
            IntStream.of(1, 3)
                .boxed()
                .flatMap(ranks ->
                    Stream.of(
                        Arguments.of(kind, List.of(4, 8), Finish.USUAL, ranks),
                        Arguments.of(kind, List.of(8), everything, ranks),
                        Arguments.of(
                            kind, List.of(4), everything.withJumping(Jumping.CONCAT), ranks))));
  }

  /// A projection is computed once for each vertex, whatever the layer on it is.
  @ParameterizedTest
  @ShareOf("projections")
  void projectionsAreComputedOnce(LayerKind kind, List<Integer> hidden, Finish finish, int ranks) {
    for (boolean sparse : new boolean[] {false, true}) {
      try (GraphData data = SmallGraphs.seen(kind, N, FEATURES, true, sparse, 3)) {
        NetworkSettings settings =
            NetworkSettings.of(kind)
                .withHidden(hidden)
                .withFinish(finish.withInputProjection(true).withFeedForward(finish.residual()))
                .on(data);
        InferencePlan plan = InferencePlan.of(data, settings, SmallGraphs.CLASSES);
        assertThat(plan.inputOnce()).isTrue();
        assertThat(plan.fetchedWidth(0)).isEqualTo(hidden.getFirst());
        assertClose(logits(plan, ranks), logits(plan.withInputOnce(false), ranks));
      }
    }
  }

  private static void assertLogitsAreTheSame(
      LayerKind kind, List<Integer> hidden, Finish finish, int ranks) {
    boolean sage = kind instanceof Sage;
    NetworkSettings settings =
        new NetworkSettings(
            kind,
            hidden,
            0,
            0,
            0,
            sage ? Normalisation.ROW_MEAN : Normalisation.SYMMETRIC,
            !sage,
            Decayed.ALL,
            finish,
            LinkDecoder.DOT);
    try (GraphData data = SmallGraphs.of(N, FEATURES, false, false, 3)) {
      InferencePlan plan = InferencePlan.of(data, settings, SmallGraphs.CLASSES);
      assertThat(plan.inputOnce()).isFalse();
      assertClose(logits(plan.withInputOnce(true), ranks), logits(plan, ranks));
    }
  }

  private static void assertClose(Map<Integer, float[]> once, Map<Integer, float[]> gathered) {
    assertThat(once.keySet()).isEqualTo(gathered.keySet()).hasSize(N);
    // Sums of at most FEATURES x N products of numbers of about 1, in another order.
    once.forEach((vertex, row) -> {
      float[] expected = Objects.requireNonNull(gathered.get(vertex));
      for (int c = 0; c < row.length; c++) {
        assertThat(row[c]).isCloseTo(expected[c], within(1e-4f));
      }
    });
  }

  /// What the first layer makes of the features waits beside its output.
  @Test
  void theMemoryOfTheSecondLayerHoldsIt() {
    NetworkSettings settings =
        new NetworkSettings(
            new Sage(),
            List.of(8),
            0,
            0,
            0,
            Normalisation.ROW_MEAN,
            false,
            Decayed.ALL,
            Finish.USUAL,
            LinkDecoder.DOT);
    try (GraphData data = SmallGraphs.of(N, FEATURES, false, false, 3)) {
      InferencePlan plan = InferencePlan.of(data, settings, SmallGraphs.CLASSES);
      long floats = (8 + SmallGraphs.CLASSES) * N;
      assertThat(plan.buffers(N).bytes()).isEqualTo(floats * Float.BYTES);
      assertThat(plan.withInputOnce(true).buffers(N).bytes()).isEqualTo(2 * 8 * N * Float.BYTES);
    }
  }

  /// Logits by vertex of the data set.
  private static Map<Integer, float[]> logits(InferencePlan plan, int ranks) {
    Map<Integer, float[]> all = new ConcurrentHashMap<>();
    if (ranks == 1) {
      logits(ThreadRanks.alone(), plan, all);
    } else {
      ThreadRanks.run(ranks, world -> logits(world, plan, all));
    }
    return all;
  }

  private static void logits(Communicator world, InferencePlan plan, Map<Integer, float[]> all) {
    GraphData data = plan.data();
    try (Workers workers = new Workers(1);
        Arena arena = Arena.ofShared();
        RankShare share =
            new RankShare(
                arena,
                world,
                new PlacedGraph(data, Placement.block(data.vertices(), world.size())),
                plan.settings(),
                RankShare.Division.DEFAULT,
                RankShare.Cache.NONE,
                new Kernels(workers, Matmul.java()))) {
      DenseState state = new DenseState(arena, plan.network().layout());
      Glorot.initialise(state, 5);
      Kernels kernels = new Kernels(workers, Matmul.java());
      try (BlockStack blocks =
              new BlockStack(
                  plan.data(), plan.settings(), plan.network(), 0, kernels, share::datasetIds);
          Inference inference = new LayerwiseInference(arena, share, plan, blocks, workers)) {
        DenseMatrix logits = inference.logits(state, Progress.SILENT);
        int[] ids = share.datasetIds(inference.vertices());
        for (int v = 0; v < ids.length; v++) {
          float[] row = new float[Math.toIntExact(logits.cols())];
          for (int c = 0; c < row.length; c++) {
            row[c] = logits.get(v, c);
          }
          all.put(ids[v], row);
        }
      }
    }
  }
}
