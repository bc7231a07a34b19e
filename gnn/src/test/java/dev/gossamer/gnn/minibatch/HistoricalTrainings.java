package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.historical.HistoricalCounts;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
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
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphAttention;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.CarriedState;
import dev.gossamer.run.CheckpointFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Trainings over ranks that have batches of their own vertices, with historical embeddings and
/// without.
final class HistoricalTrainings {
  static final int N = 211;
  static final int EPOCHS = 3;
  private static final int BATCH = 5;
  private static final double RATE = 0.01;

  /// Steps of an epoch, at most: of batches of a third of all vertices.
  private static final int STEPS = Math.ceilDiv(N, 3 * BATCH);

  /// In another order, a sum over at most `N` sources differs by as many rounding errors. Adam
  /// divides by the size of a gradient, so a step moves a weight by the rate times the relative
  /// error of its gradient; the loss, whose gradient is about 1, moves as far.
  private static final double OTHER_ORDER = EPOCHS * STEPS * RATE * N * Math.ulp(1f);

  private static final LayerKind GAT = new Gat(2, GraphAttention.Variant.MB, 0.2);

  /// Of networks whose outputs are computed from all layers, like [Gin] here.
  private static final LayerKind ONE_HEAD = new Gat(1, GraphAttention.Variant.STANDARD, 0.2);

  private static final Sampler SAGE = Sampler.sage(4, 3, 3);

  /// One way to train over ranks.
  record Case(
      int ranks,
      LayerKind model,
      boolean sparse,
      boolean partitioned,
      int replication,
      Sampler sampler) {
    Case(int ranks, LayerKind model, boolean sparse, boolean partitioned) {
      this(ranks, model, sparse, partitioned, 1, SAGE);
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(2, new Sage(), true, false),
        new Case(4, new Sage(), false, true),
        new Case(4, new Gcn(), true, true),
        new Case(8, new Sage(), true, false),
        new Case(2, GAT, false, true),
        new Case(4, GAT, true, false),
        new Case(4, new Gcn(), false, true, 2, SAGE),
        new Case(4, new Gcn(), true, false, 1, Sampler.ladies(40, 60, 80)),
        new Case(4, new Sage(), true, true, 2, Sampler.ladies(40, 60, 80)),
        new Case(2, new Gcn(), false, false, 1, Sampler.fastGcn(60, 60, 60)),
        new Case(4, new Gin(), true, true),
        new Case(2, ONE_HEAD, false, true),
        new Case(2, new Gat(2, GraphAttention.Variant.MB, 0.2, 3), true, false),
        new Case(4, new Gat(2, GraphAttention.Variant.V2, 0.2, 2), false, true),
        new Case(4, new Gin(3), true, true),
        new Case(4, new Appnp(3, 0.2), true, true),
        new Case(4, new Gcnii(), false, false),
        new Case(2, new Rgcn(), true, true),
        new Case(4, new Rgcn(2), false, false),
        new Case(2, new Rsage(), false, true),
        new Case(1, new Sage(), false, false));
  }

  /// Subgraphs, which compute no remote vertices and so do not fetch what misses.
  static Stream<Case> subgraphCases() {
    return Stream.of(
        new Case(4, new Sage(), true, false, 1, Sampler.saintWalk(3, 8, 2).withOccurrences(9)),
        new Case(4, new Gcn(), false, true, 2, Sampler.saintEdge(3, 8)),
        new Case(4, GAT, true, false, 1, Sampler.saintNode(3, 20)),
        new Case(4, new Gin(3), false, true, 1, Sampler.saintEdge(3, 8)));
  }

  /// Those that are run under MPI.
  static List<Case> mpiCases() {
    return cases().filter(what -> what.ranks() == RankMinibatches.MPI_RANKS).toList();
  }

  /// What follows the hidden layers of graph convolutions.
  private static final Finish FINISH = new Finish(Activation.Function.GELU, Norm.BATCH, true);

  private static Finish finish(LayerKind model) {
    return switch (model) {
      case Gcn gcn -> FINISH;
      case Gin gin -> FINISH.withJumping(Jumping.MAX).withInputProjection(true);
      case Gat gat when gat.heads() == 1 -> Finish.USUAL.withJumping(Jumping.CONCAT);
      case Rsage rsage -> Finish.USUAL.withInputProjection(true).withFeedForward(true);
      default -> Finish.USUAL;
    };
  }

  private static NetworkSettings network(LayerKind model) {
    if (model instanceof Rgcn || model instanceof Rsage) {
      return NetworkSettings.of(model)
          .withHidden(hidden(model))
          .withDropout(0.3, 0.1)
          .withEdgeDropout(0.2);
    }
    boolean attention = model instanceof Gat;
    return new NetworkSettings(
        model,
        hidden(model),
        0.3,
        0.1,
        model instanceof Gcn ? 0 : 0.2,
        attention ? Normalisation.NONE : Normalisation.ROW_MEAN,
        !(model instanceof Sage),
        Decayed.ALL,
        finish(model),
        LinkDecoder.DOT);
  }

  private static List<Integer> hidden(LayerKind model) {
    return switch (model) {
      case Gcn gcn -> List.of(10, 10);
      case Gin gin -> List.of(10, 10);
      case Gcnii gcnii -> List.of(10, 10, 10);
      default -> List.of(10, 6);
    };
  }

  static MinibatchSettings settings(
      Case what, @Nullable HistoricalSettings historical, boolean overlap) {
    return MinibatchSettings.of(what.sampler())
        .withBatchPerRank(BATCH)
        .withStepBatches(what.ranks())
        .withReplication(what.replication())
        .withGraph(what.partitioned() ? GraphPlace.PARTITIONED : GraphPlace.REPLICATED)
        .withOverlap(overlap ? Overlap.ON : Overlap.OFF)
        .withOwnBatches(historical);
  }

  /// The same with batches that all ranks draw of the whole graph.
  static MinibatchSettings shared(Case what) {
    return MinibatchSettings.of(what.sampler())
        .withBatchPerRank(BATCH)
        .withStepBatches(what.ranks())
        .withReplication(what.replication());
  }

  /// What a run leaves on one rank.
  ///
  /// @param life of embeddings in the end
  /// @param warning said once
  record Outcome(List<Double> values, MinibatchCounts counts, int life, Optional<String> warning) {
    HistoricalCounts historical() {
      return Objects.requireNonNull(counts.historical());
    }
  }

  /// Trains on this rank. Collective.
  static Outcome train(Communicator world, GraphData dataset, Case what, MinibatchSettings s) {
    try (Workers workers = new Workers(1 + world.rank() % 2);
        MinibatchTrainer trainer = trainer(world, dataset, what, s, workers)) {
      List<Double> values = new ArrayList<>();
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        values.add(trainer.train(epoch, RATE));
        values.add(trainer.evaluate().test().loss());
      }
      Optional<String> warning = trainer.takeWarning();
      assertThat(trainer.takeWarning()).isEmpty();
      return new Outcome(values, trainer.counts(), trainer.cacheLife(), warning);
    }
  }

  private static MinibatchTrainer trainer(
      Communicator world, GraphData dataset, Case what, MinibatchSettings s, Workers workers) {
    return new MinibatchTrainer(
        world,
        Placement.random(N, what.ranks() / what.replication(), 9),
        MinibatchPlan.of(
            dataset,
            new NetworkTraining(network(what.model()).on(dataset), new OptimizerRule.Adam(0), 3),
            what.ranks()),
        s,
        new Kernels(workers, Matmul.java()));
  }

  /// A trainer that has trained on another epoch, and reads the checkpoint of one that has trained
  /// on two, goes on as that does. Collective.
  static void assertResumable(Communicator world, Case what, MinibatchSettings s, Path folder) {
    CheckpointFolder checkpoint = CheckpointFolder.ofEpochs(folder);
    try (GraphData dataset = dataset(what);
        Workers workers = new Workers(1);
        MinibatchTrainer first = trainer(world, dataset, what, s, workers);
        MinibatchTrainer second = trainer(world, dataset, what, s, workers)) {
      first.train(0, RATE);
      first.train(1, RATE);
      List<CarriedState.File> files =
          Objects.requireNonNull(first.carried()).write(world.rank() == 0 ? checkpoint : null, 2);
      world.barrier();
      second.state().weights().copyFrom(first.state().weights());
      for (int i = 0; i < first.optimizer().moments().size(); i++) {
        second.optimizer().moments().get(i).copyFrom(first.optimizer().moments().get(i));
      }
      second.optimizer().restore(first.optimizer().steps());
      assertThat(files).hasSize(world.rank() == 0 ? world.size() : 0);
      String mine = "epoch-000002.rank-%03d.safetensors".formatted(world.rank());
      Objects.requireNonNull(second.carried()).read(checkpoint.file(mine));
      assertThat(second.train(2, RATE)).isEqualTo(first.train(2, RATE));
      assertThat(second.state().weights().mismatch(first.state().weights())).isEqualTo(-1);
      long hits = Objects.requireNonNull(second.counts().historical()).hits();
      assertThat(hits > 0).isEqualTo(first.cacheLife() > 0);
      assertThat(second.cacheLife()).isEqualTo(first.cacheLife());
    }
  }

  /// The data set of a training.
  static GraphData dataset(Case what) {
    return SmallGraphs.seen(what.model(), N, 7, what.sparse(), false, BATCH);
  }

  /// Without hits and with misses fetched, historical embeddings compute what exact batches do, bit
  /// by bit; with hits of features alone, which are exact, up to the rounding of sums that
  /// attention takes in the order of sources. Collective.
  static void assertExactWithoutHits(Communicator world, Case what) {
    try (GraphData dataset = dataset(what)) {
      List<Double> exact = train(world, dataset, what, settings(what, null, true)).values();
      HistoricalSettings noLines = new HistoricalSettings(0, 2, 2000, 1, OnMiss.FETCH);
      Outcome missed = train(world, dataset, what, settings(what, noLines, false));
      assertThat(missed.values()).isEqualTo(exact);
      assertThat(missed.historical().hits()).isZero();
      assertThat(missed.historical().featureBytes()).isZero();

      HistoricalSettings noLife = new HistoricalSettings(1000, 0, 2000, 2, OnMiss.FETCH);
      Outcome features = train(world, dataset, what, settings(what, noLife, false));
      for (int i = 0; i < exact.size(); i++) {
        assertThat(features.values().get(i)).isCloseTo(exact.get(i), within(OTHER_ORDER));
      }
      HistoricalCounts counts = features.historical();
      assertThat(counts.hits()).isEqualTo(counts.hits(0));
      assertThat(counts.hits() > 0).isEqualTo(what.ranks() > 1);
    }
  }
}
