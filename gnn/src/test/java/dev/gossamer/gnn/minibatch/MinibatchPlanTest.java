package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.historical.HaloPartition;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.StackBounds;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class MinibatchPlanTest {
  private static final OptimizerRule RULE = new OptimizerRule.Adam(0);

  private static MinibatchPlan plan(GraphData dataset, int ranks) {
    return MinibatchPlan.of(
        dataset,
        new NetworkTraining(
            MinibatchTrainerTest.settings(new Sage(), 2, 0, 0, Normalisation.ROW_MEAN), RULE, 1),
        ranks);
  }

  @Test
  void theBuffersAreThoseOfTheLargestBatch() {
    try (GraphData dataset = SmallGraphs.of(1000, 9, false, false, 1)) {
      MinibatchPlan plan = plan(dataset, 1);
      assertThat(plan.network().layers().stream().map(GraphLayer::order))
          .containsExactly(Order.AGGREGATE_AND_KEEP, Order.AGGREGATE_AND_KEEP);
      BufferPlan buffers =
          plan.buffers(MinibatchTrainerTest.minibatch(Sampler.sage(3, 2), 10, 1, 1));
      // 10 seeds, up to 40 sources of theirs, up to 120 sources of those; the shared memory is for
      // the gradient of the second layer's inputs of width 12.
      BlockBound first = plan.drawn().of(Sampler.sage(3, 2), 10).blocks().getFirst();
      assertThat(first.targets()).isBetween(30L, 40L);
      assertThat(first.sources()).isBetween(70L, 120L);
      assertThat(buffers.buffers())
          .containsExactly(
              new BufferPlan.Buffer("inputs", first.sources(), 9),
              new BufferPlan.Buffer("layer 1", first.targets(), 12),
              new BufferPlan.Buffer("kept by layer 1", first.targets(), 9),
              new BufferPlan.Buffer("layer 2", 10, 3),
              new BufferPlan.Buffer("kept by layer 2", 10, 12),
              new BufferPlan.Buffer("shared", first.targets() * 12, 1));
    }
  }

  /// One rank multiplies rows of the graph by features and outputs where they are.
  @Test
  void evaluationOnOneRankCopiesNoNeighbours() {
    MinibatchSettings settings = MinibatchTrainerTest.minibatch(Sampler.sage(2, 2), 10, 1, 1);
    try (GraphData narrow = SmallGraphs.of(1000, 9, false, false, 1);
        GraphData wide = SmallGraphs.of(1000, 90, false, false, 1)) {
      assertThat(plan(wide, 1).memory(settings, 1, 1).bytes("evaluation"))
          .isEqualTo(plan(narrow, 1).memory(settings, 1, 1).bytes("evaluation"));
      assertThat(plan(wide, 2).memory(settings, 1, 2).bytes("evaluation"))
          .isGreaterThan(plan(narrow, 2).memory(settings, 1, 2).bytes("evaluation"));
    }
  }

  /// Caches hold the halo that a rank has, and evaluation reads it: with vertices beside their
  /// neighbours both are small.
  @Test
  void historicalEmbeddingsAreThoseOfTheHaloThatThereIs() {
    int n = 4000;
    int ranks = 4;
    int[] from = IntStream.range(0, n - 1).toArray();
    int[] to = IntStream.range(1, n).toArray();
    MinibatchSettings settings =
        MinibatchSettings.of(Sampler.sage(2, 2))
            .withBatchSize(40)
            .withStepBatches(ranks)
            .withOwnBatches(HistoricalSettings.DEFAULT);
    try (GraphData path =
            GraphData.builder(n)
                .edges(from, to)
                .features(new float[n][50])
                .labels(IntStream.range(0, n).map(v -> v % 2).toArray())
                .split(IntStream.range(0, n).mapToObj(v -> Split.TRAIN).toArray(Split[]::new))
                .build();
        Arena arena = Arena.ofShared()) {
      MinibatchPlan inOrder = plan(path, ranks);
      MinibatchPlan mixed = inOrder.placed(Placement.random(n, ranks, 1));
      for (MinibatchPlan plan : List.of(inOrder, mixed)) {
        for (int block = 0; block < ranks; block++) {
          CsrMatrix rows =
              plan.placement()
                  .blockRows(arena, plan.training().network().propagation(path), block)
                  .forward();
          int begin = plan.placement().distribution().begin(block);
          assertThat(plan.evaluation().halo(plan.placement(), block))
              .isEqualTo(new HaloPartition(begin, rows).halos().length);
        }
      }
      MemoryEstimate small = inOrder.memory(settings, 1, ranks);
      MemoryEstimate large = mixed.memory(settings, 1, ranks);
      // The halo of the one are six vertices, of the other about 6,000, each with 50 features and
      // an embedding of 12 in a cache, and features again, packed and arrived, in evaluation.
      assertThat(large.bytes("historical embeddings") - small.bytes("historical embeddings"))
          .isBetween(5_000L * 62 * Float.BYTES, 7_000L * (62 + 40) * Float.BYTES);
      assertThat(large.bytes("evaluation") - small.bytes("evaluation"))
          .isGreaterThan(5_000L * 3 * 50 * Float.BYTES);
    }
  }

  /// They take turns.
  @Test
  void trainingAndEvaluationShareTheBuffersOfTheirPasses() {
    List<BufferPlan.Buffer> training =
        List.of(new BufferPlan.Buffer("layer 1", 10, 4), new BufferPlan.Buffer("shared", 90, 1));
    List<BufferPlan.Buffer> evaluation =
        List.of(
            new BufferPlan.Buffer("layer 1", 30, 4),
            new BufferPlan.Buffer("kept by layer 1", 30, 2),
            new BufferPlan.Buffer("shared", 50, 1));
    assertThat(StackBounds.bytesOfLarger(training, evaluation))
        .isEqualTo((30 * 4 + 30 * 2 + 90) * Float.BYTES);
  }

  @Test
  void sparseFeaturesAreTransformedFirst() {
    try (GraphData dataset = SmallGraphs.of(100, 9, false, true, 1)) {
      assertThat(plan(dataset, 1).network().layers().getFirst().order())
          .isEqualTo(Order.TRANSFORM_FIRST);
    }
  }

  @Test
  void theAutomaticBulkIsWorthItAndFits() {
    try (GraphData dataset = SmallGraphs.of(4000, 9, false, false, 1)) {
      MinibatchPlan plan = plan(dataset, 1);
      MinibatchSettings one = MinibatchTrainerTest.minibatch(Sampler.sage(5, 5), 10, 1, 1);
      int batches = one.steps(4000, dataset.labelled(Split.TRAIN).length, 1);
      MinibatchSettings ahead = MinibatchTrainerTest.ahead(one);
      for (int threads : new int[] {1, 5, 1000}) {
        int useful = Math.max(8, 2 * threads);
        assertThat(plan.automaticBulk(one, threads, 1, Long.MAX_VALUE))
            .isEqualTo(Math.min(batches, useful));
        assertThat(plan.automaticBulk(ahead, threads, 1, Long.MAX_VALUE))
            .isEqualTo(Math.min(Math.ceilDiv(batches, 8), useful));
      }
      assertThat(plan.automaticBulk(one, 1, 1, 0)).isEqualTo(1);
      for (int k : new int[] {2, 5, 7}) {
        long limit = plan.memory(one.withBulk(k), 1, 1).bytes();
        assertThat(plan.automaticBulk(one, 1, 1, limit)).isEqualTo(k);
        assertThat(plan.automaticBulk(one, 1, 1, limit - 1)).isEqualTo(k - 1);
      }
    }
  }

  @Test
  void aSubgraphsEpochDrawsAsManyVerticesAsThereAre() {
    assertThat(batches(Sampler.sage(2))).isEqualTo(3);
    assertThat(batches(Sampler.saintNode(1, 30))).isEqualTo(4);
    assertThat(batches(Sampler.saintEdge(1, 30))).isEqualTo(2);
    assertThat(batches(Sampler.saintWalk(1, 10, 3))).isEqualTo(3);
  }

  private static int batches(Sampler sampler) {
    return MinibatchTrainerTest.minibatch(sampler, 10, 1, 1).steps(100, 25, 1);
  }

  /// The size of a step is divided; that of each rank is multiplied.
  @Test
  void aStepIsTheSameForAnyNumberOfRanksUnlessItsSizeIsOfEachRank() {
    MinibatchSettings ofStep = MinibatchSettings.of(Sampler.sage(2)).withBatchSize(50);
    MinibatchSettings ofRank = MinibatchSettings.of(Sampler.sage(2)).withBatchPerRank(50);
    for (int ranks : new int[] {1, 2, 4, 8}) {
      assertThat(ofStep.stepSize(ranks)).isEqualTo(50);
      assertThat(ofStep.batchOf(ranks)).isEqualTo(Math.ceilDiv(50, ranks));
      assertThat(ofStep.steps(1000, 250, ranks)).isEqualTo(5);
      assertThat(ofRank.stepSize(ranks)).isEqualTo(50 * ranks);
      assertThat(ofRank.batchOf(ranks)).isEqualTo(50);
      assertThat(ofRank.steps(1000, 250, ranks)).isEqualTo(Math.ceilDiv(5, ranks));
    }
    assertThat(ofStep.withStepBatches(8).batchOf(2)).isEqualTo(7);
    assertThat(ofRank.withStepBatches(8).batchOf(2)).isEqualTo(13);
    MinibatchSettings walks = MinibatchSettings.of(Sampler.saintWalk(1, 40, 3));
    assertThat(walks.sampler(4)).isEqualTo(Sampler.saintWalk(1, 40, 3).ofSharedStep(40, 4));
    assertThat(walks.withOwnBatches(HistoricalSettings.DEFAULT).sampler(4))
        .isEqualTo(Sampler.saintWalk(1, 20, 3));
    assertThat(walks.steps(1000, 250, 4)).isEqualTo(walks.steps(1000, 250, 1)).isEqualTo(7);
    assertThat(walks.withBatchPerRank(40).sampler(4)).isEqualTo(Sampler.saintWalk(1, 40, 3));
    assertThat(walks.withBatchPerRank(40).withStepBatches(8).sampler(4))
        .isEqualTo(Sampler.saintWalk(1, 20, 3));
    assertThat(walks.dividesSubgraphs()).isTrue();
    assertThat(walks.withBatchPerRank(40).dividesSubgraphs()).isFalse();
    assertThat(walks.withOwnBatches(HistoricalSettings.DEFAULT).dividesSubgraphs()).isFalse();
    assertThat(ofStep.dividesSubgraphs()).isFalse();
  }

  @Test
  void settingsThatCannotBeAreOneLine() {
    MinibatchSettings sage = MinibatchSettings.of(Sampler.sage(2));
    refused(() -> sage.withBatchSize(0), "batchSize: expected at least 1, found 0");
    refused(() -> sage.withBulk(0), "bulk: expected at least 1, found 0");
    refused(() -> sage.withStepBatches(0), "stepBatches: expected at least 1, found 0");
    refused(() -> sage.withReplication(0), "replication: expected at least 1, found 0");
    refused(() -> sage.withCacheBytes(-1), "cacheBytes: expected at least 0, found -1");
    refused(() -> sage.withTestFanouts(List.of(3, 0)), "testFanouts: expected at least 1, found 0");
  }

  @Test
  void settingsThatDoNotGoTogetherAreOneLine() {
    MinibatchSettings sage = MinibatchSettings.of(Sampler.sage(2));
    refused(
        () -> MinibatchSettings.of(Sampler.saintNode(1, 5)).withOwnBatches(null),
        "sampler: subgraphs of a rank's own vertices (placement) need historical embeddings"
            + " (historical); expected a layer-by-layer sampler, found saint-node");
    HistoricalSettings drop = HistoricalSettings.DEFAULT;
    refused(
        () ->
            MinibatchSettings.of(Sampler.saintNode(1, 5))
                .withOwnBatches(new HistoricalSettings(9, 2, 9, 1, OnMiss.FETCH)),
        "onMiss: saint-node draws among the vertices of a rank and computes no others; expected drop,"
            + " found fetch");
    refused(
        () -> sage.withTestFanouts(List.of(3)).withOwnBatches(drop),
        "testFanouts: a rank that drops misses sees no remote rows; expected none, found [3]");
    refused(
        () -> sage.withCacheBytes(5).withOwnBatches(drop),
        "cacheBytes: a rank that drops misses sees no remote rows; expected 0, found 5");
    refused(
        () -> new MinibatchSettings(sage.batching(), sage.distribution(), List.of(), drop),
        "historical: embeddings are kept for batches of a rank's own vertices; found shared"
            + " batches");
  }

  private static void refused(ThrowingCallable made, String message) {
    assertThatThrownBy(made).isInstanceOf(InvalidSettingException.class).hasMessage(message);
  }

  @Test
  void aSubgraphHasTheBatchSizeOfItsSampler() {
    MinibatchSettings walks = MinibatchSettings.of(Sampler.saintWalk(1, 10, 3));
    assertThat(walks.batchSize()).isEqualTo(10);
    assertThat(walks.withBatchSize(20).sampler()).isEqualTo(Sampler.saintWalk(1, 20, 3));
    assertThat(MinibatchSettings.of(Sampler.sage(3)).batchSize()).isEqualTo(512);
  }
}
