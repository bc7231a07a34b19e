package dev.gossamer.gnn.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.GraphProducts.Input;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Activation.Function;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The trainings that must not depend on how many ranks there are, nor on what ranks are.
final class RankTrainings {
  static final int N = 61;
  private static final int EPOCHS = 6;
  private static final double RATE = 0.01;

  /// A pass sums at most `N` terms of about 1; Adam divides by the root of the second moment and so
  /// passes relative errors on; they add up over the epochs.
  private static final double TOLERANCE = EPOCHS * 64.0 * N * Math.ulp(1f);

  /// Ranks of the trainings under MPI.
  static final int MPI_RANKS = 4;

  /// One way to train over ranks.
  record Case(int ranks, GraphProducts products, boolean random) {
    ExchangeStrategy strategy() {
      return products.strategy();
    }

    Placement placement() {
      int blocks = strategy().blocks(ranks);
      return random ? Placement.random(N, blocks, 5) : Placement.block(N, blocks);
    }
  }

  /// One network and its graph, and what one rank makes of them.
  record Network(NetworkSettings settings, GraphData dataset, List<Double> expected)
      implements AutoCloseable {
    @Override
    public void close() {
      dataset.close();
    }
  }

  private RankTrainings() {}

  /// Every strategy and placement on 1 to 8 ranks; in one of two placements with little memory.
  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int ranks : new int[] {1, 2, 3, 4, 8}) {
      for (Kind kind : Kind.values()) {
        for (int c : new int[] {1, 2}) {
          for (boolean overlap : new boolean[] {false, true}) {
            ExchangeStrategy strategy = new ExchangeStrategy(kind, c, overlap);
            if (strategy.validFor(ranks)) {
              GraphProducts usual = GraphProducts.usual(strategy);
              GraphProducts small = usual.withColumns(4).withInput(Input.RECOMPUTED);
              cases.add(new Case(ranks, usual, (ranks + c) % 2 == 0));
              cases.add(new Case(ranks, small, (ranks + c) % 2 != 0));
            }
          }
        }
      }
    }
    return cases.stream();
  }

  /// Those that are run under MPI, where ranks wait without giving up their core.
  ///
  /// @param all or half of them: each strategy, on one of its two placements
  static List<Case> mpiCases(boolean all) {
    return cases()
        .filter(what -> what.ranks() == MPI_RANKS)
        .filter(what -> all || what.random() == what.strategy().overlap())
        .toList();
  }

  /// A network of `layers` layers on a graph that is directed if their number is even, with sparse
  /// features if it is above 2.
  static Network network(int layers) {
    NetworkSettings settings =
        new NetworkSettings(
            new Gcn(),
            List.of(12, 5, 9).subList(0, layers - 1),
            layers == 1 ? 0 : 0.3,
            layers > 1 ? 0.2 : 0,
            0,
            Normalisation.SYMMETRIC,
            true,
            Decayed.ALL,
            Finish.USUAL,
            LinkDecoder.DOT);
    GraphData dataset = SmallGraphs.of(N, 7, layers % 2 == 0, layers > 2, layers);
    return new Network(settings, dataset, serial(dataset, settings));
  }

  /// GraphSAGE of three layers, on a directed graph with dense features or on an undirected one
  /// with sparse features.
  static Network sage(boolean sparse, double inputDropout) {
    NetworkSettings settings =
        new NetworkSettings(
            new Sage(),
            List.of(12, 5),
            0.3,
            inputDropout,
            0,
            Normalisation.ROW_MEAN,
            false,
            Decayed.ALL,
            Finish.USUAL,
            LinkDecoder.DOT);
    GraphData dataset = SmallGraphs.of(N, 7, !sparse, sparse, 9);
    return new Network(settings, dataset, serial(dataset, settings));
  }

  /// Graph attention of three layers with every dropout, on a directed graph with dense features or
  /// on an undirected one with sparse features.
  static Network attention(Variant variant, boolean sparse) {
    NetworkSettings settings =
        new NetworkSettings(
            new Gat(3, variant, 0.25),
            List.of(12, 6),
            0.3,
            0.2,
            0,
            Normalisation.NONE,
            !sparse,
            Decayed.ALL,
            Finish.USUAL,
            LinkDecoder.DOT);
    GraphData dataset = SmallGraphs.of(N, 7, !sparse, sparse, 9);
    return new Network(settings, dataset, serial(dataset, settings));
  }

  /// Four layers with everything that can follow hidden ones, on a directed graph with dense
  /// features or on an undirected one with sparse features.
  static Network finished(LayerKind kind, Norm norm, boolean sparse) {
    return finished(kind, new Finish(Function.GELU, norm, true), sparse);
  }

  /// Four layers with something after hidden ones, likewise.
  static Network finished(LayerKind kind, Finish finish, boolean sparse) {
    GraphData dataset = SmallGraphs.seen(kind, N, 7, !sparse, sparse, 9);
    NetworkSettings settings =
        NetworkSettings.of(kind)
            .withHidden(List.of(12, 12, 12))
            .withDropout(0.3, 0.2)
            .withFinish(finish)
            .on(dataset);
    return new Network(settings, dataset, serial(dataset, settings));
  }

  /// Layers that return to the projected features, or read hops of them, on a directed graph with
  /// dense features or on an undirected one with sparse features.
  static Network residual(LayerKind kind, boolean sparse) {
    NetworkSettings settings =
        NetworkSettings.of(kind).withHidden(List.of(12, 12, 12)).withDropout(0.3, 0.2);
    GraphData dataset = SmallGraphs.of(N, 7, !sparse, sparse, 9);
    return new Network(settings, dataset, serial(dataset, settings));
  }

  /// Three layers of a kind that reads relations, on a graph with types of edges, which is directed
  /// with dense features or undirected with sparse ones.
  static Network relations(LayerKind kind, boolean sparse) {
    GraphData dataset = SmallGraphs.seen(kind, N, 7, !sparse, sparse, 9);
    NetworkSettings settings =
        NetworkSettings.of(kind).withHidden(List.of(12, 5)).withDropout(0.3, 0.2).on(dataset);
    return new Network(settings, dataset, serial(dataset, settings));
  }

  /// Three layers of any kind with every dropout, that of edges too, on a directed graph with dense
  /// features or on an undirected one with sparse features.
  static Network dropping(LayerKind kind, boolean sparse) {
    GraphData dataset = SmallGraphs.seen(kind, N, 7, !sparse, sparse, 9);
    NetworkSettings settings =
        NetworkSettings.of(kind)
            .withHidden(List.of(12, 12))
            .withDropout(0.3, 0.2)
            .withEdgeDropout(0.4)
            .on(dataset);
    return new Network(settings, dataset, serial(dataset, settings));
  }

  /// Losses and scores on this rank. Collective.
  static List<Double> distributed(Communicator world, Network network, Case what) {
    try (Workers workers = new Workers(1);
        FullGraphTrainer training = training(world, network, what, workers)) {
      return values(training);
    }
  }

  /// Collective.
  static FullGraphTrainer training(
      Communicator world, Network network, Case what, Workers workers) {
    return new FullGraphTrainer(
        world,
        new PlacedGraph(network.dataset(), what.placement()),
        what.products(),
        new NetworkTraining(network.settings(), new OptimizerRule.Adam(0), 3),
        new Kernels(workers, Matmul.java()));
  }

  static void assertEqualsSerial(List<Double> found, Network network) {
    List<Double> expected = network.expected();
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      assertThat(found.get(i))
          .as("value %d of a network of %d layers", i, network.settings().hidden().size() + 1)
          .isCloseTo(expected.get(i), within(TOLERANCE));
    }
  }

  private static List<Double> serial(GraphData dataset, NetworkSettings settings) {
    try (Workers workers = new Workers(1);
        FullGraphTrainer trainer = OneRank.fullGraph(dataset, settings, 3, workers)) {
      return values(trainer);
    }
  }

  private static List<Double> values(EpochTrainer trainer) {
    List<Double> values = new ArrayList<>();
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
      values.add(trainer.train(epoch, RATE));
    }
    Evaluation scores = trainer.evaluate();
    for (Evaluation.Scores part : List.of(scores.train(), scores.validation(), scores.test())) {
      values.add((double) part.count());
      values.add(part.loss());
    }
    return values;
  }
}
