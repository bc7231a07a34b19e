package dev.gossamer.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.comm.ThreadRanks;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.Placement;
import dev.gossamer.fullgraph.NetworkSettings.Model;
import dev.gossamer.graph.Dataset;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.Matmul;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.Evaluation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Distributed equals serial: twenty epochs over ranks have the losses and scores of one rank.
class RankTrainingTest {
  private static final int N = 61;
  private static final int EPOCHS = 20;
  private static final double RATE = 0.01;

  /// A pass sums at most `N` terms of about 1; Adam divides by the root of the second moment and so
  /// passes relative errors on; they add up over the epochs.
  private static final double TOLERANCE = EPOCHS * 64.0 * N * Math.ulp(1f);

  record Case(int ranks, ExchangeStrategy strategy, boolean random) {}

  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int ranks : new int[] {1, 2, 3, 4, 8}) {
      for (Kind kind : Kind.values()) {
        for (int c : new int[] {1, 2}) {
          for (boolean overlap : new boolean[] {false, true}) {
            ExchangeStrategy strategy = new ExchangeStrategy(kind, c, overlap);
            if (strategy.validFor(ranks)) {
              cases.add(new Case(ranks, strategy, (ranks + c) % 2 == 0));
              cases.add(new Case(ranks, strategy, (ranks + c) % 2 != 0));
            }
          }
        }
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void lossesAndScoresEqualThoseOfOneRank(Case what) {
    for (int layers = 1; layers <= 4; layers++) {
      boolean directed = layers % 2 == 0;
      boolean sparse = layers > 2;
      NetworkSettings settings =
          new NetworkSettings(
              Model.GCN,
              List.of(12, 5, 9).subList(0, layers - 1),
              layers == 1 ? 0 : 0.3,
              layers > 1 ? 0.2 : 0,
              Normalisation.SYMMETRIC,
              true,
              false);
      try (Dataset dataset = SmallGraphs.of(N, 7, directed, sparse, layers)) {
        List<Double> expected = serial(dataset, settings);
        List<Double> found = distributed(dataset, settings, what);
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
          assertThat(found.get(i))
              .as("value %d of a network of %d layers", i, layers)
              .isCloseTo(expected.get(i), within(TOLERANCE));
        }
      }
    }
  }

  private static List<Double> serial(Dataset dataset, NetworkSettings settings) {
    try (Workers workers = new Workers(1);
        FullGraphTrainer trainer =
            new FullGraphTrainer(
                dataset,
                settings,
                NetworkPlan.of(dataset, settings),
                new OptimizerRule.Adam(0),
                3,
                new Kernels(workers, Matmul.java()))) {
      List<Double> values = new ArrayList<>();
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        values.add(trainer.train(epoch, RATE));
      }
      add(values, trainer.evaluate());
      return values;
    }
  }

  private static List<Double> distributed(Dataset dataset, NetworkSettings settings, Case what) {
    int blocks = what.strategy().blocks(what.ranks());
    Placement placement =
        what.random() ? Placement.random(N, blocks, 5) : Placement.block(N, blocks);
    Map<Integer, List<Double>> byRank = new ConcurrentHashMap<>();
    ThreadRanks.run(
        what.ranks(),
        world -> {
          try (Workers workers = new Workers(1);
              RankTraining training =
                  new RankTraining(
                      world,
                      dataset,
                      placement,
                      what.strategy(),
                      settings,
                      new OptimizerRule.Adam(0),
                      3,
                      new Kernels(workers, Matmul.java()))) {
            List<Double> values = new ArrayList<>();
            for (int epoch = 0; epoch < EPOCHS; epoch++) {
              values.add(training.train(epoch, RATE));
            }
            add(values, training.evaluate());
            byRank.put(world.rank(), values);
          }
        });
    List<Double> first = Objects.requireNonNull(byRank.get(0));
    for (List<Double> values : byRank.values()) {
      assertThat(values).isEqualTo(first);
    }
    return first;
  }

  private static void add(List<Double> values, Evaluation scores) {
    for (Evaluation.Scores part : List.of(scores.train(), scores.validation(), scores.test())) {
      values.add((double) part.count());
      values.add(part.loss());
    }
  }
}
