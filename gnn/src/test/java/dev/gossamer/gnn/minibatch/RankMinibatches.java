package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphAttention;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The minibatch trainings that must not depend on how many ranks there are, nor on where the graph
/// is.
final class RankMinibatches {
  static final int N = 83;
  private static final int EPOCHS = 5;
  private static final double RATE = 0.01;

  /// Batches of a step of other samplers, for any number of ranks: steps of 6 of the 24 training
  /// vertices leave some of 8 ranks without a batch, those of 12 do not.
  private static final int STEP_BATCHES = 8;

  /// A pass sums at most `N` terms of about 1; Adam divides by the root of the second moment and so
  /// passes relative errors on; they add up over the steps.
  private static final double TOLERANCE = EPOCHS * 64.0 * N * Math.ulp(1f);

  /// Ranks of the trainings under MPI.
  static final int MPI_RANKS = 4;

  /// One way to train over ranks.
  record Case(int ranks, int replication, boolean partitioned, boolean overlap) {}

  /// One network, its graph and its sampler, and what one rank makes of them.
  record Training(
      NetworkSettings network, GraphData dataset, MinibatchSettings settings, List<Double> expected)
      implements AutoCloseable {
    @Override
    public void close() {
      dataset.close();
    }
  }

  private RankMinibatches() {}

  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int ranks : new int[] {1, 2, 4, 8}) {
      for (int c : new int[] {1, 2}) {
        for (boolean partitioned : new boolean[] {false, true}) {
          if (ranks % (c * c) == 0) {
            cases.add(new Case(ranks, c, partitioned, (ranks + c) % 2 == 0));
          }
        }
      }
    }
    return cases.stream();
  }

  /// Those that are run under MPI: with a graph that is spread, both replications.
  static List<Case> mpiCases() {
    return cases().filter(what -> what.ranks() == MPI_RANKS && what.partitioned()).toList();
  }

  /// Every kind of sampler and model, dense and sparse features, evaluation with all neighbours and
  /// with some. Subgraphs by default, one batch on each rank: one batch on one rank is the same.
  static List<Training> trainings() {
    List<Training> trainings = new ArrayList<>(fewTrainings());
    trainings.add(
        training(new Sage(), Normalisation.ROW_MEAN, Sampler.sage(4, 3), 14, true, List.of(5, 4)));
    trainings.add(
        training(
            new Gcn(), Normalisation.SYMMETRIC, Sampler.saintNode(2, 20), 40, false, List.of()));
    trainings.add(training(GAT, Normalisation.NONE, Sampler.saintEdge(2, 9), 15, true, List.of()));
    trainings.add(training(GAT, Normalisation.NONE, Sampler.sage(4, 3), 14, true, List.of(5, 4)));
    trainings.add(training(GAT, Normalisation.NONE, Sampler.ladies(9, 12), 7, false, List.of()));
    Sampler walks = Sampler.saintWalk(2, 7, 2).withOccurrences(5);
    trainings.add(training(new Sage(), Normalisation.ROW_MEAN, walks, 28, false, List.of()));
    trainings.add(
        training(finished(new Sage(), Norm.BATCH), Sampler.sage(4, 3, 2), 14, true, List.of()));
    trainings.add(
        training(finished(GAT, Norm.LAYER), Sampler.sage(4, 3, 2), 7, false, List.of(5, 4, 3)));
    NetworkSettings sideBySide = jumping(new Sage(), Jumping.CONCAT);
    trainings.add(training(sideBySide, Sampler.sage(4, 3, 2), 14, false, List.of(5, 4, 3)));
    NetworkSettings maxima = jumping(new Gin(), Jumping.MAX);
    trainings.add(training(maxima, Sampler.ladies(9, 12, 15), 7, true, List.of()));
    trainings.add(
        training(jumping(GAT, Jumping.SUM), Sampler.sage(4, 3, 2), 14, true, List.of(5, 4, 3)));
    NetworkSettings ofSubgraphs = jumping(new Gcn(), Jumping.CONCAT);
    trainings.add(training(ofSubgraphs, Sampler.saintNode(3, 20), 40, false, List.of()));
    NetworkSettings projecting = projecting(new Sage());
    trainings.add(training(projecting, Sampler.sage(4, 3, 2), 14, true, List.of(5, 4, 3)));
    trainings.add(training(projecting(new Gcn()), Sampler.ladies(9, 12, 15), 7, false, List.of()));
    trainings.add(training(projecting(GAT), Sampler.sage(4, 3, 2), 14, false, List.of()));
    NetworkSettings appnp = residual(new Appnp(3, 0.2));
    trainings.add(training(appnp, Sampler.ladies(9, 12, 15), 7, true, List.of()));
    NetworkSettings means = residual(new Gcnii()).withGraph(Normalisation.ROW_MEAN, true);
    trainings.add(training(means, Sampler.sage(4, 3, 2), 14, false, List.of(5, 4, 3)));
    trainings.add(training(residual(new Sign(2)), Sampler.none(4), 14, false, List.of()));
    trainings.add(training(residual(new Sgc(3)), Sampler.none(4), 7, true, List.of()));
    NetworkSettings relations =
        NetworkSettings.of(new Rgcn()).withHidden(List.of(10)).withDropout(0.3, 0.1);
    trainings.add(training(relations, Sampler.sage(4, 3), 14, true, List.of(5, 4)));
    trainings.add(training(relations, Sampler.sage(4, 3), 7, false, List.of()));
    NetworkSettings separate =
        NetworkSettings.of(new Rsage()).withHidden(List.of(10)).withDropout(0.3, 0.1);
    trainings.add(training(separate, Sampler.sage(4, 3), 14, true, List.of(5, 4)));
    trainings.add(training(separate, Sampler.sage(4, 3), 7, false, List.of()));
    NetworkSettings dropping = residual(new Gcn()).withEdgeDropout(0.3);
    trainings.add(training(dropping, Sampler.ladies(9, 12, 15, 15), 7, true, List.of()));
    trainings.add(training(dropping, Sampler.saintNode(4, 20), 40, false, List.of()));
    trainings.add(
        training(relations.withEdgeDropout(0.3), Sampler.sage(4, 3), 14, true, List.of(5, 4)));
    NetworkSettings messages =
        NetworkSettings.of(new Gin(3)).withHidden(List.of(10)).withDropout(0.3, 0.1);
    trainings.add(training(messages, Sampler.ladies(9, 12), 7, false, List.of()));
    trainings.add(
        training(messages.withEdgeDropout(0.3), Sampler.saintEdge(2, 9), 15, true, List.of()));
    NetworkSettings ofMeans = messages.withGraph(Normalisation.ROW_MEAN, true);
    trainings.add(training(ofMeans, Sampler.sage(4, 3), 14, true, List.of(5, 4)));
    NetworkSettings dynamic =
        NetworkSettings.of(new Gat(2, GraphAttention.Variant.V2, 0.2, 3)).withHidden(List.of(10));
    trainings.add(training(dynamic, Sampler.sage(4, 3), 14, false, List.of(5, 4)));
    return trainings;
  }

  /// Those that are run under MPI.
  static List<Training> fewTrainings() {
    return List.of(
        training(new Sage(), Normalisation.ROW_MEAN, Sampler.sage(3, 2), 7, false, List.of()),
        training(new Gcn(), Normalisation.SYMMETRIC, Sampler.ladies(9, 12), 7, true, List.of()));
  }

  private static final LayerKind GAT = new Gat(2, GraphAttention.Variant.MB, 0.25);

  /// Hidden layers with everything that can follow them.
  private static NetworkSettings finished(LayerKind kind, Norm norm) {
    return NetworkSettings.of(kind)
        .withHidden(List.of(10, 10))
        .withDropout(0.3, 0.1)
        .withFinish(new Finish(Activation.Function.GELU, norm, true));
  }

  /// Outputs that are computed from all layers.
  private static NetworkSettings jumping(LayerKind kind, Jumping jumping) {
    NetworkSettings settings = finished(kind, Norm.LAYER);
    return settings.withFinish(settings.finish().withJumping(jumping));
  }

  /// Networks that read a projection of the features, and have feed-forward blocks.
  private static NetworkSettings projecting(LayerKind kind) {
    NetworkSettings settings = finished(kind, Norm.LAYER);
    return settings.withFinish(settings.finish().withInputProjection(true).withFeedForward(true));
  }

  private static NetworkSettings residual(LayerKind kind) {
    return NetworkSettings.of(kind).withHidden(List.of(10, 10, 10)).withDropout(0.3, 0.1);
  }

  private static Training training(
      LayerKind model,
      Normalisation normalisation,
      Sampler sampler,
      int batchSize,
      boolean sparse,
      List<Integer> testFanouts) {
    NetworkSettings network =
        new NetworkSettings(
            model,
            List.of(10),
            0.3,
            0.1,
            0,
            normalisation,
            !(model instanceof Sage),
            Decayed.ALL,
            Finish.USUAL,
            LinkDecoder.DOT);
    return training(network, sampler, batchSize, sparse, testFanouts);
  }

  private static Training training(
      NetworkSettings given,
      Sampler sampler,
      int batchSize,
      boolean sparse,
      List<Integer> testFanouts) {
    GraphData dataset = SmallGraphs.seen(given.kind(), N, 7, sparse, sparse, batchSize);
    NetworkSettings network = given.on(dataset);
    MinibatchSettings byDefault =
        MinibatchSettings.of(sampler)
            .withBatchSize(batchSize)
            .withBulk(2)
            .withOverlap(Overlap.OFF)
            .withTestFanouts(testFanouts);
    MinibatchSettings settings =
        sampler.drawsSubgraphs() ? byDefault : byDefault.withStepBatches(STEP_BATCHES);
    return new Training(network, dataset, settings, serial(dataset, network, settings));
  }

  /// Losses and scores on this rank. Collective.
  static List<Double> distributed(Communicator world, Training training, Case what) {
    long cache = what.partitioned() ? 1000 : 0;
    int bulk = world.rank() == 0 ? 1 : training.settings().bulk();
    MinibatchSettings settings = settings(training, what, RowFormat.FLOAT32, cache).withBulk(bulk);
    return distributed(world, training, settings);
  }

  static MinibatchSettings settings(Training training, Case what, RowFormat wire, long cacheBytes) {
    return training
        .settings()
        .withGraph(what.partitioned() ? GraphPlace.PARTITIONED : GraphPlace.REPLICATED)
        .withReplication(what.replication())
        .withCacheBytes(cacheBytes)
        .withOverlap(what.overlap() ? Overlap.ON : Overlap.OFF)
        .withWire(wire);
  }

  /// Losses and scores on this rank. Collective.
  static List<Double> distributed(
      Communicator world, Training training, MinibatchSettings settings) {
    try (Workers workers = new Workers(1);
        MinibatchTrainer trainer =
            new MinibatchTrainer(
                world,
                Placement.block(N, world.size() / settings.replication()),
                MinibatchPlan.of(
                    training.dataset(),
                    new NetworkTraining(training.network(), new OptimizerRule.Adam(0), 3),
                    world.size()),
                settings,
                new Kernels(workers, Matmul.java()))) {
      return values(trainer);
    }
  }

  private static List<Double> serial(
      GraphData dataset, NetworkSettings network, MinibatchSettings settings) {
    try (Workers workers = new Workers(1);
        MinibatchTrainer trainer = OneRank.minibatches(dataset, network, settings, 3, workers)) {
      return values(trainer);
    }
  }

  private static List<Double> values(EpochTrainer trainer) {
    List<Double> values = new ArrayList<>();
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
      values.add(trainer.train(epoch, RATE));
      if (epoch % 4 == 0) {
        values.add(trainer.evaluate().validation().loss());
      }
    }
    Evaluation scores = trainer.evaluate();
    for (Evaluation.Scores part : List.of(scores.train(), scores.validation(), scores.test())) {
      values.add((double) part.count());
      values.add(part.loss());
    }
    return values;
  }

  static void assertEqualsSerial(List<Double> found, Training training) {
    assertThat(found).hasSameSizeAs(training.expected());
    for (int i = 0; i < found.size(); i++) {
      assertThat(found.get(i))
          .as("value %d with %s", i, training.settings().sampler())
          .isCloseTo(training.expected().get(i), within(TOLERANCE));
    }
  }
}
