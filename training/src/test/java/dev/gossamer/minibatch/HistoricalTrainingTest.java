package dev.gossamer.minibatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.ThreadRanks;
import dev.gossamer.comm.Traffic;
import dev.gossamer.exchange.Placement;
import dev.gossamer.fullgraph.SmallGraphs;
import dev.gossamer.graph.Dataset;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.historical.HistoricalCounts;
import dev.gossamer.historical.HistoricalSettings;
import dev.gossamer.historical.HistoricalSettings.OnMiss;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.Matmul;
import dev.gossamer.network.NetworkSettings;
import dev.gossamer.network.NetworkSettings.Model;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.sampling.Sampler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HistoricalTrainingTest {
  private static final int N = 211;
  private static final int EPOCHS = 3;
  private static final int BATCH = 5;

  /// One way to train over ranks.
  record Case(int ranks, Model model, boolean sparse, boolean partitioned) {}

  static Stream<Case> cases() {
    return Stream.of(
        new Case(2, Model.SAGE, true, false),
        new Case(4, Model.SAGE, false, true),
        new Case(4, Model.GCN, true, true),
        new Case(8, Model.SAGE, true, false),
        new Case(1, Model.SAGE, false, false));
  }

  private static NetworkSettings network(Model model) {
    return new NetworkSettings(
        model, List.of(10, 6), 0.3, 0.1, Normalisation.ROW_MEAN, model == Model.GCN, false);
  }

  private static MinibatchSettings settings(
      Case what, @Nullable HistoricalSettings historical, boolean overlap) {
    return new MinibatchSettings(
            Sampler.sage(4, 3, 3),
            BATCH,
            1,
            what.ranks(),
            what.partitioned(),
            1,
            0,
            overlap,
            List.of())
        .withOwnBatches(historical);
  }

  /// What a run leaves on one rank.
  ///
  /// @param sent in the last epoch
  record Outcome(List<Double> values, MinibatchCounts counts, Traffic.Snapshot sent) {}

  private static Outcome train(
      Communicator world, Dataset dataset, Case what, MinibatchSettings s) {
    try (Workers workers = new Workers(1 + world.rank() % 2);
        MinibatchTrainer trainer =
            new MinibatchTrainer(
                world,
                MinibatchPlan.of(dataset, network(what.model()), what.ranks()),
                Placement.random(N, what.ranks(), 9),
                s,
                new OptimizerRule.Adam(0),
                3,
                new Kernels(workers, Matmul.java()))) {
      List<Double> values = new ArrayList<>();
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        values.add(trainer.train(epoch, 0.01));
        values.add(trainer.evaluate().test().loss());
      }
      return new Outcome(values, trainer.counts(), trainer.sent());
    }
  }

  private static Outcome train(Case what, MinibatchSettings settings) {
    Map<Integer, Outcome> byRank = new ConcurrentHashMap<>();
    try (Dataset dataset = SmallGraphs.of(N, 7, what.sparse(), false, BATCH)) {
      ThreadRanks.run(
          what.ranks(), world -> byRank.put(world.rank(), train(world, dataset, what, settings)));
    }
    Outcome first = Objects.requireNonNull(byRank.get(0));
    byRank.values().forEach(each -> assertThat(each.values()).isEqualTo(first.values()));
    return first;
  }

  private static HistoricalCounts historical(Outcome outcome) {
    return Objects.requireNonNull(outcome.counts().historical());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void withoutHitsAndWithMissesFetchedItIsExact(Case what) {
    List<Double> exact = train(what, settings(what, null, true)).values();
    HistoricalSettings noLines = new HistoricalSettings(0, 2, 2000, 1, OnMiss.FETCH);
    HistoricalSettings noLife = new HistoricalSettings(1000, 0, 2000, 2, OnMiss.FETCH);
    assertThat(train(what, settings(what, noLines, false)).values()).isEqualTo(exact);
    Outcome shortLived = train(what, settings(what, noLife, false));
    assertThat(shortLived.values()).isEqualTo(exact);
    assertThat(historical(shortLived).hits()).isZero();
  }

  @Test
  void theSameSeedGivesTheSameBits() {
    Case what = new Case(4, Model.SAGE, true, false);
    for (OnMiss onMiss : OnMiss.values()) {
      HistoricalSettings cached = new HistoricalSettings(60, 3, 20, 1, onMiss);
      Outcome once = train(what, settings(what, cached, false));
      assertThat(train(what, settings(what, cached, false)).values()).isEqualTo(once.values());
      assertThat(historical(once).hits()).isPositive();
      assertThat(historical(once).misses()).isPositive();
    }
  }

  @Test
  void hitsGrowWithLinesLifeAndPushes() {
    Case what = new Case(4, Model.SAGE, false, false);
    HistoricalSettings full = new HistoricalSettings(1000, 6, 1000, 1, OnMiss.DROP);
    double all = hitRate(what, full);
    assertThat(all).isGreaterThan(0.2);
    assertThat(hitRate(what, new HistoricalSettings(20, 6, 1000, 1, OnMiss.DROP))).isLessThan(all);
    assertThat(hitRate(what, new HistoricalSettings(1000, 1, 1000, 1, OnMiss.DROP)))
        .isLessThan(all);
    assertThat(hitRate(what, new HistoricalSettings(1000, 6, 2, 1, OnMiss.DROP))).isLessThan(all);
    assertThat(hitRate(what, new HistoricalSettings(1000, 6, 1000, 3, OnMiss.DROP)))
        .isLessThan(all);
  }

  private static double hitRate(Case what, HistoricalSettings settings) {
    HistoricalCounts counts = historical(train(what, settings(what, settings, false)));
    long young = 0;
    for (int age = 0; age < settings.delay(); age++) {
      young += counts.hitsOfAge(age);
    }
    assertThat(young).isZero();
    return (double) counts.hits() / (counts.hits() + counts.misses());
  }

  @Test
  void aRankThatDropsMissesFetchesNothing() {
    Case what = new Case(4, Model.SAGE, true, false);
    HistoricalSettings cached = new HistoricalSettings(1000, 2, 50, 1, OnMiss.DROP);
    Outcome outcome = train(what, settings(what, cached, false));
    assertThat(outcome.counts().fetched().fetched()).isZero();
    assertThat(historical(outcome).pushedBytes()).isPositive();
  }
}
