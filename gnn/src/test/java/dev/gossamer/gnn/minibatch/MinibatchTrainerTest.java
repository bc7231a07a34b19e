package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.FullGraphTrainer;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Split;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphAttention;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MinibatchTrainerTest {
  private static final int N = 61;
  private static final int FEATURES = 9;

  /// Every product of a pass sums at most `N` or a width of terms of about 1, in float32; a pass
  /// has a few of them in a row.
  private static final double TOLERANCE = 64 * N * Math.ulp(1f);

  private static final LayerKind GAT = new Gat(2, GraphAttention.Variant.STANDARD, 0.3);

  static NetworkSettings settings(
      LayerKind model,
      int layers,
      double dropout,
      double inputDropout,
      Normalisation normalisation) {
    return new NetworkSettings(
        model,
        List.of(12, model instanceof Gat ? 6 : 5, 8).subList(0, layers - 1),
        dropout,
        inputDropout,
        0,
        normalisation,
        model instanceof Gcn || model instanceof Gat,
        Decayed.ALL,
        Finish.USUAL,
        LinkDecoder.DOT);
  }

  /// @param batchSize training vertices of a step; subgraphs have their own size
  static MinibatchSettings minibatch(Sampler sampler, int batchSize, int bulk, int stepBatches) {
    MinibatchSettings settings = MinibatchSettings.of(sampler);
    return (sampler.drawsSubgraphs() ? settings : settings.withBatchSize(batchSize))
        .withBulk(bulk)
        .withStepBatches(stepBatches)
        .withOverlap(Overlap.OFF);
  }

  static Stream<Arguments> networks() {
    Sampler everyNeighbour = Sampler.sage(N, N);
    Sampler everyVertex = Sampler.ladies(N, N, N);
    return Stream.of(
        Arguments.of(new Sage(), everyNeighbour, Normalisation.ROW_MEAN, false, 0.0),
        Arguments.of(new Sage(), everyNeighbour, Normalisation.ROW_MEAN, false, 0.3),
        Arguments.of(new Sage(), everyNeighbour, Normalisation.ROW_MEAN, true, 0.3),
        Arguments.of(new Sage(), Sampler.sage(N), Normalisation.ROW_MEAN, true, 0.0),
        Arguments.of(new Sage(), everyVertex, Normalisation.ROW_MEAN, false, 0.3),
        Arguments.of(new Gcn(), everyVertex, Normalisation.SYMMETRIC, false, 0.3),
        Arguments.of(new Gcn(), everyVertex, Normalisation.SYMMETRIC, true, 0.3),
        Arguments.of(new Gcn(), everyVertex, Normalisation.SYMMETRIC, true, 0.0),
        Arguments.of(new Gcn(), everyNeighbour, Normalisation.ROW_MEAN, false, 0.0),
        Arguments.of(GAT, everyNeighbour, Normalisation.NONE, false, 0.3),
        Arguments.of(GAT, everyNeighbour, Normalisation.NONE, true, 0.3),
        Arguments.of(GAT, everyVertex, Normalisation.NONE, false, 0.0));
  }

  /// With all neighbours and one batch, the first epoch is that of a whole graph, dropout included:
  /// it is drawn by vertex, and epoch 0, batch 0 is step 0.
  @ParameterizedTest
  @MethodSource("networks")
  void aBatchOfEverythingIsTheWholeGraph(
      LayerKind model,
      Sampler sampler,
      Normalisation normalisation,
      boolean sparse,
      double inputDropout) {
    NetworkSettings settings = settings(model, sampler.layers(), 0.4, inputDropout, normalisation);
    assertABatchIsTheWholeGraph(settings, sampler, sparse);
  }

  static Stream<LayerKind> kinds() {
    return Stream.of(
        new Sage(),
        new Gcn(),
        new Gin(),
        new Gin(3),
        GAT,
        new Gat(2, GraphAttention.Variant.V2, 0.3),
        new Gat(2, GraphAttention.Variant.MB, 0.3, 3),
        new Gat(2, GraphAttention.Variant.V2, 0.3, 3));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void finishedLayersToo(LayerKind kind) {
    assertABatchIsTheWholeGraph(kind, new Finish(Activation.Function.GELU, Norm.LAYER, true));
    assertABatchIsTheWholeGraph(kind, new Finish(Activation.Function.PRELU, Norm.NONE, true));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("kinds")
  void projectionsAndFeedForwardLayersToo(LayerKind kind) {
    assertABatchIsTheWholeGraph(kind, Finish.USUAL.withInputProjection(true));
    Finish everything = new Finish(Activation.Function.GELU, Norm.LAYER, true);
    assertABatchIsTheWholeGraph(kind, everything.withInputProjection(true).withFeedForward(true));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("kinds")
  void jumpsToo(LayerKind kind) {
    Finish everything = new Finish(Activation.Function.GELU, Norm.LAYER, true);
    assertABatchIsTheWholeGraph(kind, Finish.USUAL.withJumping(Jumping.CONCAT));
    assertABatchIsTheWholeGraph(kind, everything.withJumping(Jumping.MAX));
    assertABatchIsTheWholeGraph(kind, Finish.USUAL.withJumping(Jumping.SUM));
  }

  private static void assertABatchIsTheWholeGraph(LayerKind kind, Finish finish) {
    Sampler all =
        kind instanceof Gcn || kind instanceof Gin
            ? Sampler.ladies(N, N, N)
            : Sampler.sage(N, N, N);
    NetworkSettings settings =
        NetworkSettings.of(kind).withHidden(List.of(6, 6)).withDropout(0.4, 0.3).withFinish(finish);
    assertABatchIsTheWholeGraph(settings, all, false);
    assertABatchIsTheWholeGraph(settings, all, true);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void initialResidualsToo(boolean sparse) {
    Sampler all = Sampler.ladies(N, N, N);
    NetworkSettings appnp =
        NetworkSettings.of(new Appnp(3, 0.2)).withHidden(List.of(12, 5)).withDropout(0.4, 0.3);
    NetworkSettings gcnii =
        NetworkSettings.of(new Gcnii(0.2, 1)).withHidden(List.of(7, 7, 7)).withDropout(0.4, 0.3);
    assertABatchIsTheWholeGraph(appnp, all, sparse);
    assertABatchIsTheWholeGraph(gcnii, all, sparse);
    NetworkSettings mean = gcnii.withGraph(Normalisation.ROW_MEAN, true);
    assertABatchIsTheWholeGraph(mean, Sampler.sage(N, N, N), sparse);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void meansOfMessagesToo(boolean sparse) {
    NetworkSettings gin =
        NetworkSettings.of(new Gin(3))
            .withHidden(List.of(7, 7))
            .withDropout(0.4, 0.3)
            .withGraph(Normalisation.ROW_MEAN, true);
    assertABatchIsTheWholeGraph(gin, Sampler.sage(N, N, N), sparse);
    assertABatchIsTheWholeGraph(gin.withEdgeDropout(0.4), Sampler.sage(N, N, N), sparse);
    NetworkSettings scaled = gin.withGraph(Normalisation.SYMMETRIC, false);
    assertABatchIsTheWholeGraph(scaled, Sampler.ladies(N, N, N), sparse);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void networksWithoutNeighboursToo(boolean sparse) {
    for (LayerKind kind : List.of(new Sgc(2), new Sign(3), new Mlp())) {
      NetworkSettings settings =
          NetworkSettings.of(kind).withHidden(List.of(12, 5)).withDropout(0.4, 0.3);
      assertABatchIsTheWholeGraph(settings, Sampler.none(3), sparse);
    }
    NetworkSettings regression = NetworkSettings.of(new Sgc(2)).withDropout(0, 0);
    assertABatchIsTheWholeGraph(regression, Sampler.none(1), sparse);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void relationsToo(boolean sparse) {
    for (LayerKind kind : List.of(new Rgcn(2), new Rsage())) {
      NetworkSettings settings =
          NetworkSettings.of(kind).withHidden(List.of(7, 5)).withDropout(0.4, 0.3);
      assertABatchIsTheWholeGraph(settings, Sampler.sage(N, N, N), sparse);
      Finish sideBySide = Finish.USUAL.withJumping(Jumping.CONCAT);
      assertABatchIsTheWholeGraph(settings.withFinish(sideBySide), Sampler.sage(N, N, N), sparse);
      Finish projecting = Finish.USUAL.withInputProjection(true);
      assertABatchIsTheWholeGraph(settings.withFinish(projecting), Sampler.sage(N, N, N), sparse);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void droppedEdgesToo(LayerKind kind) {
    boolean sums = kind instanceof Gcn || kind instanceof Gin;
    NetworkSettings settings =
        NetworkSettings.of(kind)
            .withHidden(List.of(6, 6))
            .withDropout(0.4, 0.3)
            .withEdgeDropout(0.4);
    Sampler all = sums ? Sampler.ladies(N, N, N) : Sampler.sage(N, N, N);
    assertABatchIsTheWholeGraph(settings, all, false);
    assertABatchIsTheWholeGraph(settings, all, true);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void droppedEdgesOfRelationsToo(boolean sparse) {
    for (LayerKind kind : List.of(new Rgcn(2), new Rsage())) {
      NetworkSettings settings =
          NetworkSettings.of(kind).withHidden(List.of(7, 5)).withEdgeDropout(0.4);
      assertABatchIsTheWholeGraph(settings, Sampler.sage(N, N, N), sparse);
    }
  }

  private static void assertABatchIsTheWholeGraph(
      NetworkSettings network, Sampler sampler, boolean sparse) {
    for (boolean directed : new boolean[] {false, true}) {
      GraphData dataset = SmallGraphs.seen(network.kind(), N, FEATURES, directed, sparse, 5);
      NetworkSettings settings = network.on(dataset);
      try (dataset;
          Workers workers = new Workers(2);
          FullGraphTrainer whole = whole(dataset, settings, workers);
          MinibatchTrainer sampled =
              trainer(dataset, settings, minibatch(sampler, N, 1, 1), workers)) {
        assertThat(sampled.train(0, 0.01)).isCloseTo(whole.train(0, 0.01), within(TOLERANCE));
        assertThat(gradients(sampled)).hasSameSizeAs(gradients(whole));
        for (int i = 0; i < gradients(whole).length; i++) {
          assertThat(gradients(sampled)[i])
              .isCloseTo(gradients(whole)[i], within((float) TOLERANCE));
        }
        sampled.state().weights().copyFrom(whole.state().weights());
        Evaluation expected = whole.evaluate();
        Evaluation found = sampled.evaluate();
        assertThat(found.train().loss()).isCloseTo(expected.train().loss(), within(TOLERANCE));
        assertThat(found.test().loss()).isCloseTo(expected.test().loss(), within(TOLERANCE));
        assertThat(found.test().count()).isEqualTo(expected.test().count());
        assertThat(found.validation().accuracy()).isEqualTo(expected.validation().accuracy());
      }
    }
  }

  private static float[] gradients(EpochTrainer trainer) {
    return trainer.state().gradients().toArray(ValueLayout.JAVA_FLOAT);
  }

  /// A step over several batches is one over a batch of all their vertices, if nothing is random.
  @Test
  void batchesOfAStepAreWeightedByTheirVertices() {
    NetworkSettings settings = settings(new Sage(), 2, 0, 0, Normalisation.ROW_MEAN);
    Sampler all = Sampler.sage(N, N);
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 5);
        Workers workers = new Workers(1);
        MinibatchTrainer one = trainer(dataset, settings, minibatch(all, 15, 1, 1), workers);
        MinibatchTrainer three = trainer(dataset, settings, minibatch(all, 15, 2, 3), workers)) {
      for (int epoch = 0; epoch < 3; epoch++) {
        assertThat(three.train(epoch, 0.02))
            .isCloseTo(one.train(epoch, 0.02), within(10 * TOLERANCE));
      }
      assertThat(three.counts().batches()).isGreaterThan(one.counts().batches());
      assertThat(three.optimizer().steps()).isEqualTo(one.optimizer().steps());
    }
  }

  /// A subgraph is drawn for a step, whatever it is divided into: sums are rounded otherwise.
  @ParameterizedTest
  @MethodSource("subgraphs")
  void partsOfASubgraphAreOneStep(Sampler sampler) {
    NetworkSettings settings = settings(new Sage(), 2, 0.3, 0.1, Normalisation.ROW_MEAN);
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 5);
        Workers workers = new Workers(1);
        MinibatchTrainer one = trainer(dataset, settings, minibatch(sampler, 0, 1, 1), workers);
        MinibatchTrainer five = trainer(dataset, settings, minibatch(sampler, 0, 3, 5), workers)) {
      for (int epoch = 0; epoch < 3; epoch++) {
        assertThat(five.train(epoch, 0.02))
            .isCloseTo(one.train(epoch, 0.02), within(10 * TOLERANCE));
      }
      assertThat(five.counts().batches()).isGreaterThan(one.counts().batches());
      assertThat(five.optimizer().steps()).isEqualTo(one.optimizer().steps());
    }
  }

  /// As it was: five steps of 15, 15, 15, 15 and one.
  @Test
  void anEpochHasNoRemnant() {
    NetworkSettings settings = settings(new Sage(), 2, 0, 0, Normalisation.ROW_MEAN);
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 5);
        Workers workers = new Workers(1)) {
      int training = dataset.labelled(Split.TRAIN).length;
      MinibatchSettings remnant = minibatch(Sampler.sage(3, 3), (training - 1) / 2, 1, 1);
      try (MinibatchTrainer trainer = trainer(dataset, settings, remnant, workers)) {
        trainer.train(0, 0.02);
        assertThat(trainer.steps()).isEqualTo(3);
        assertThat(trainer.optimizer().steps()).isEqualTo(3);
      }
    }
  }

  /// Sampled evaluation with more neighbours than there are takes all of them.
  @Test
  void enoughTestNeighboursAreAllNeighbours() {
    NetworkSettings network = settings(new Sage(), 2, 0, 0, Normalisation.ROW_MEAN);
    MinibatchSettings all = minibatch(Sampler.sage(3, 3), 7, 1, 1);
    MinibatchSettings sampled = all.withTestFanouts(List.of(N, N));
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, true, true, 5);
        Workers workers = new Workers(2);
        MinibatchTrainer one = trainer(dataset, network, all, workers);
        MinibatchTrainer other = trainer(dataset, network, sampled, workers)) {
      assertThat(other.train(0, 0.02)).isEqualTo(one.train(0, 0.02));
      Evaluation expected = one.evaluate();
      Evaluation found = other.evaluate();
      assertThat(found.test().count()).isEqualTo(expected.test().count());
      assertThat(found.train().loss()).isCloseTo(expected.train().loss(), within(TOLERANCE));
      assertThat(found.test().loss()).isCloseTo(expected.test().loss(), within(TOLERANCE));
    }
  }

  static Stream<Sampler> samplers() {
    return Stream.of(
        Sampler.sage(4, 3),
        Sampler.ladies(12, 12),
        Sampler.fastGcn(20, 20),
        Sampler.saintNode(2, 20),
        Sampler.saintEdge(2, 12),
        Sampler.saintWalk(2, 8, 2).withOccurrences(20));
  }

  static Stream<Sampler> subgraphs() {
    return samplers().filter(Sampler::drawsSubgraphs);
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void theBitsDependOnNeitherThreadsNorBulkNorOverlap(Sampler sampler) {
    MinibatchSettings settings = minibatch(sampler, 6, 1, 1);
    List<Double> expected = losses(settings, 1);
    assertThat(losses(settings.withBulk(3), 2)).isEqualTo(expected);
    assertThat(losses(ahead(settings), 2)).isEqualTo(expected);
    assertThat(losses(ahead(settings.withBulk(2)), 1)).isEqualTo(expected);
    assertThat(expected.getLast()).isLessThan(expected.getFirst());
  }

  static MinibatchSettings ahead(MinibatchSettings s) {
    return s.withOverlap(Overlap.ON);
  }

  @Test
  void theBitsOfHopsDependOnNeitherThreadsNorBulkNorOverlap() {
    MinibatchSettings settings = minibatch(Sampler.none(2), 6, 1, 1);
    NetworkSettings sign = settings(new Sign(2), 2, 0.3, 0.1, Normalisation.SYMMETRIC);
    List<Double> expected = losses(sign, settings, 1);
    assertThat(losses(sign, settings.withBulk(3), 2)).isEqualTo(expected);
    assertThat(losses(sign, ahead(settings.withBulk(2)), 2)).isEqualTo(expected);
    assertThat(expected.getLast()).isLessThan(expected.getFirst());
  }

  private static List<Double> losses(MinibatchSettings settings, int threads) {
    return losses(settings(new Sage(), 2, 0.3, 0.1, Normalisation.ROW_MEAN), settings, threads);
  }

  private static List<Double> losses(
      NetworkSettings network, MinibatchSettings settings, int threads) {
    List<Double> losses = new ArrayList<>();
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, true, false, 6);
        Workers workers = new Workers(threads);
        MinibatchTrainer trainer = trainer(dataset, network, settings, workers)) {
      for (int epoch = 0; epoch < 12; epoch++) {
        losses.add(trainer.train(epoch, 0.02));
      }
      losses.add(trainer.evaluate().train().loss());
    }
    return losses;
  }

  private static FullGraphTrainer whole(
      GraphData dataset, NetworkSettings settings, Workers workers) {
    return OneRank.fullGraph(dataset, settings, 1, workers);
  }

  private static MinibatchTrainer trainer(
      GraphData dataset, NetworkSettings settings, MinibatchSettings minibatch, Workers workers) {
    return OneRank.minibatches(dataset, settings, minibatch, 1, workers);
  }
}
