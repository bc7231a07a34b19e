package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.PlannedStrategy.Learning;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask.CandidateSet;
import dev.gossamer.graph.Negatives;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.planner.RunCost;
import dev.gossamer.run.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PlanningTest {
  private static final int N = 120;

  private static final LinkSettings LINKS =
      new LinkSettings(
          "70/10/20", LinkSplit.By.RANDOM, 0, 8, 1, Negatives.By.UNIFORM, 5, CandidateSet.OWN);

  private static Cluster cluster(int nodes, int ranks, long memory) {
    return PlainRates.cluster(nodes, ranks, memory, 1e9);
  }

  private static PlanningSpace space() {
    return PlanningSpace.DEFAULT.withWholeGraphAndMinibatches(
        true,
        List.of(MinibatchSettings.of(Sampler.sage(3, 3)).withBatchSize(16).withAutomaticBulk()));
  }

  /// What a training says of itself before it begins.
  private static TrainingPlan planned(GraphTraining training) {
    List<TrainingPlan> plans = new ArrayList<>();
    training
        .epochs(1)
        .listener(
            new TrainingListener() {
              @Override
              public void planned(TrainingPlan plan) {
                plans.add(plan);
              }
            })
        .run();
    return plans.getFirst();
  }

  @Test
  void plannedMemoryIsThatOfTheRun() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      GraphTraining whole =
          ExampleGraphs.training(dataset)
              .sage(6)
              .threads(2)
              .ranks(
                  RankSettings.DEFAULT
                      .withCount(4)
                      .withPlacement("random")
                      .withStrategy(new ExchangeStrategy(Kind.OBLIVIOUS, 2, true)));
      GraphTraining sampled =
          whole.ranks(RankSettings.DEFAULT.withCount(2)).minibatches(Sampler.sage(3, 3));
      for (GraphTraining training : List.of(whole, sampled)) {
        PlannedStrategy strategy = Planning.here(training, cluster(9, 9, 1)).asSet();
        assertThat(strategy.memory().ofNode())
            .isEqualTo(planned(training).shape().memory().needed());
      }
    }
  }

  @Test
  void plannedTrafficIsThatOfTheRun() {
    try (Dataset dataset = ExampleGraphs.sparse(N, 1)) {
      GraphTraining training = ExampleGraphs.training(dataset).gcn(6).threads(1).epochs(1).ranks(3);
      EpochCost cost =
          Planning.of(training, cluster(1, 2, 1L << 33)).asSet().cost().orElseThrow().epoch();
      TrainingFacts facts = training.train().facts();
      assertThat(facts).isInstanceOf(TrainingFacts.Sent.class);
      if (facts instanceof TrainingFacts.Sent sent) {
        assertThat(cost.traffic().bytesSent()).isEqualTo(sent.bytes());
        assertThat(cost.traffic().messagesSent()).isEqualTo(sent.messages());
      }
    }
  }

  /// A run evaluates as often as it is set to, and once more at its end.
  @Test
  void aRunIsItsEpochsEvaluationsAndWhatHappensOnce() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      for (boolean sampled : new boolean[] {false, true}) {
        GraphTraining whole = ExampleGraphs.training(dataset).sage(6).ranks(2);
        GraphTraining training = sampled ? whole.minibatches(Sampler.sage(3, 3)) : whole;
        RunCost every = run(training, new LearningSettings.Pace(10, Metric.ACCURACY, 0, 1, 0));
        RunCost seldom = run(training, new LearningSettings.Pace(10, Metric.ACCURACY, 0, 4, 0));
        RunCost longer = run(training, new LearningSettings.Pace(20, Metric.ACCURACY, 0, 4, 0));
        assertThat(every.evaluations()).isEqualTo(11);
        assertThat(seldom.evaluations()).isEqualTo(4);
        assertThat(longer.evaluations()).isEqualTo(6);
        assertThat(every.evaluation().seconds()).isPositive();
        assertThat(every.evaluation().traffic().totalBytes()).isPositive();
        assertThat(every.seconds() - seldom.seconds())
            .isCloseTo(7 * every.evaluation().seconds(), within(1e-12));
        assertThat(longer.seconds() - seldom.seconds())
            .isCloseTo(
                10 * every.epoch().seconds() + 2 * every.evaluation().seconds(), within(1e-12));
        assertThat(longer.bytes() - seldom.bytes())
            .isEqualTo(
                10 * every.epoch().traffic().totalBytes()
                    + 2 * every.evaluation().traffic().totalBytes());
      }
    }
  }

  private static RunCost run(GraphTraining training, LearningSettings.Pace pace) {
    GraphTraining paced = training.learning(LearningSettings.DEFAULT.withPace(pace));
    return Planning.of(paced, cluster(1, 2, 1L << 33)).asSet().cost().orElseThrow();
  }

  @Test
  void theFastestThatFitsComesFirst() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      GraphTraining training = ExampleGraphs.training(dataset).sage(6);
      List<PlannedStrategy> roomy =
          Planning.of(training, cluster(1, 4, 1L << 40)).strategies(space());
      assertThat(roomy).allMatch(PlannedStrategy::fits);
      assertThat(roomy)
          .isSortedAccordingTo(Comparator.comparingDouble(PlannedStrategy::runSeconds));
      assertThat(roomy).anyMatch(each -> each.minibatches() != null);
      assertThat(roomy).extracting(each -> each.place().ranks()).contains(1, 2, 4);

      long tooLittle = roomy.getFirst().memory().ofNode() - 1;
      List<PlannedStrategy> tight =
          Planning.of(training, cluster(1, 4, tooLittle)).strategies(space());
      assertThat(tight).hasSameSizeAs(roomy);
      PlannedStrategy best = tight.getFirst();
      assertThat(best.memory().ofNode()).isLessThanOrEqualTo(tooLittle);
      assertThat(best.fits()).isTrue();
      assertThat(tight.getLast().fits()).isFalse();
      assertThat(tight.getLast().seconds()).isInfinite();
      assertThat(tight.getLast().runSeconds()).isInfinite();

      assertThat(Planning.of(training, cluster(1, 4, 1)).strategies(space()))
          .noneMatch(PlannedStrategy::fits);
    }
  }

  /// Plans are no better than a tenth: of what they do not tell apart the simplest is taken.
  @Test
  void ofATieTheSimplestIsRecommended() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      List<PlannedStrategy> all =
          Planning.of(ExampleGraphs.training(dataset).sage(6), cluster(1, 4, 1L << 40))
              .strategies(space());
      double fastest = all.getFirst().runSeconds();
      PlannedStrategy best = Planning.recommended(all);
      assertThat(best.runSeconds()).isLessThanOrEqualTo(1.1 * fastest);
      assertThat(all)
          .filteredOn(each -> each.runSeconds() <= 1.1 * fastest)
          .allMatch(each -> each.place().ranks() >= best.place().ranks());
      for (int p : List.of(2, 4)) {
        List<PlannedStrategy> sampled =
            all.stream()
                .filter(each -> each.place().ranks() == p && each.minibatches() != null)
                .toList();
        PlannedStrategy stale =
            sampled.stream()
                .filter(each -> each.learning() == Learning.STALE)
                .findFirst()
                .orElseThrow();
        PlannedStrategy exact =
            sampled.stream()
                .filter(each -> each.learning() == Learning.SAMPLED)
                .map(each ->
                    new PlannedStrategy(
                        each.ranks(),
                        each.minibatches(),
                        each.place(),
                        each.memory(),
                        stale.cost()))
                .findFirst()
                .orElseThrow();
        assertThat(Planning.recommended(List.of(stale, exact))).isEqualTo(exact);
      }
    }
  }

  /// Of ways that take the same time, the usual one is the simplest, however little memory others
  /// take.
  @Test
  void ofATieTheUsualExchangeIsRecommended() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      List<PlannedStrategy> all =
          Planning.of(ExampleGraphs.training(dataset).sage(6), cluster(1, 4, 1L << 40))
              .strategies(PlanningSpace.DEFAULT.withRanks(List.of(4)));
      List<PlannedStrategy> equal =
          all.stream()
              .map(each ->
                  new PlannedStrategy(
                      each.ranks(), null, each.place(), each.memory(), all.getFirst().cost()))
              .toList();
      PlannedStrategy usual = Planning.recommended(equal);
      assertThat(usual.placement()).isEqualTo(RankSettings.USUAL_PLACEMENT);
      assertThat(usual.ranks().strategy())
          .isEqualTo(new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true));
      assertThat(Planning.recommended(equal.reversed())).isEqualTo(usual);
      assertThat(PlannedScaling.of(equal).rows().getFirst().strategy()).isEqualTo(usual);
    }
  }

  @Test
  void scalingComparesWithTheFewestRanks() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      List<PlannedStrategy> all =
          Planning.of(ExampleGraphs.training(dataset).sage(6), cluster(2, 2, 1L << 40))
              .strategies(space());
      PlannedScaling scaling = PlannedScaling.of(all);
      assertThat(scaling.rows())
          .extracting(row -> row.strategy().place().ranks())
          .containsExactly(1, 2, 4);
      double one = scaling.rows().getFirst().strategy().runSeconds();
      for (PlannedScaling.Row row : scaling.rows()) {
        int p = row.strategy().place().ranks();
        double seconds = row.strategy().runSeconds();
        assertThat(row.speedUp()).isEqualTo(one / seconds);
        assertThat(row.efficiency()).isCloseTo(one / seconds / p, within(1e-12));
        assertThat(row.nodeHours()).isCloseTo((p == 4 ? 2 : 1) * seconds / 3600, within(1e-12));
      }
      // On so small a graph messages take longer than they save.
      assertThat(scaling.worthwhile().strategy().place().ranks()).isLessThan(4);
      assertThat(PlannedScaling.of(List.of()).rows()).isEmpty();
    }
  }

  @Test
  void ranksOnSeveralNodesAreProcesses() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      List<PlannedStrategy> strategies =
          Planning.of(ExampleGraphs.training(dataset).gcn(6), cluster(2, 2, 1L << 40))
              .strategies(PlanningSpace.DEFAULT.withRanks(List.of(2, 4)));
      for (PlannedStrategy each : strategies) {
        PlannedStrategy.Place place = each.place();
        assertThat(place.ranksOfNode()).isEqualTo(2);
        assertThat(place.nodes()).isEqualTo(place.ranks() / 2);
        assertThat(place.processes()).isEqualTo(place.ranks() == 4);
        if (place.processes()) {
          assertThat(each.memory().ofNode()).isEqualTo(2 * each.memory().ofRank().needed());
        }
      }
    }
  }

  /// An edge has ends on two ranks, and a network without a graph looks at no remote vertices.
  @Test
  void whatIsPlannedCanBeTrained() {
    try (Dataset edges = ExampleGraphs.unlabelled(N, 1).withLinks(LINKS, 0);
        Dataset labels = ExampleGraphs.dense(N, 1)) {
      for (GraphTraining training :
          List.of(
              ExampleGraphs.training(edges).sage(6),
              ExampleGraphs.training(labels).sage(6),
              ExampleGraphs.training(labels).mlp(6))) {
        TrainingSettings asked = training.settings();
        List<PlannedStrategy> planned =
            Planning.of(training, cluster(1, 2, 1L << 40))
                .strategies(
                    PlanningSpace.DEFAULT.withWholeGraphAndMinibatches(
                        true, List.of(asked.architecture().usualMinibatches())));
        assertThat(planned)
            .anyMatch(each -> each.minibatches() != null && each.place().ranks() == 2)
            .allSatisfy(each ->
                assertThat(training.settings(each.settings(asked)).epochs(1).train().end().epochs())
                    .isEqualTo(1));
      }
    }
  }

  @Test
  void batchesOfEdgesArePlannedAsTheyAreTrained() {
    try (Dataset dataset = ExampleGraphs.unlabelled(N, 1).withLinks(LINKS, 0)) {
      GraphTraining training = ExampleGraphs.training(dataset).gcn(6).ranks(2);
      MinibatchSettings edges = MinibatchSettings.of(Sampler.sage(3, 3)).withBatchSize(50);
      Cluster cluster = cluster(1, 2, 1L << 33);
      PlannedStrategy planned = Planning.of(training.minibatches(edges), cluster).asSet();
      int trained = Objects.requireNonNull(dataset.data().links()).parts().train().count();
      assertThat(planned.cost().orElseThrow().epoch().steps()).isEqualTo(Math.ceilDiv(trained, 50));
      MinibatchSettings subgraphs = MinibatchSettings.of(Sampler.saintNode(2, 50));
      Planning refused = Planning.of(training.minibatches(subgraphs), cluster);
      assertThatThrownBy(refused::asSet).hasMessageContaining("draws around the ends of edges");
      assertThat(refused.refusal(subgraphs)).isPresent();
      assertThat(refused.refusal(edges)).isEmpty();
    }
  }

  @Test
  void whatCannotBePlannedIsRefused() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Planning gcn = Planning.of(ExampleGraphs.training(dataset).gcn(6), cluster(1, 2, 1L << 40));
      assertThat(gcn.refusal(MinibatchSettings.of(Sampler.sage(3, 3)))).isEmpty();
      assertThat(gcn.refusal(MinibatchSettings.of(Sampler.sage(3)))).isPresent();
      assertThatThrownBy(() -> PlanningSpace.DEFAULT.withRanks(List.of(0)))
          .isInstanceOf(InvalidSettingException.class);
      assertThatThrownBy(() -> PlanningSpace.DEFAULT.withWholeGraphAndMinibatches(false, List.of()))
          .isInstanceOf(InvalidSettingException.class);
      assertThatThrownBy(() -> PlanningSpace.DEFAULT.withPlacements(List.of("nowhere")))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("placement: expected one of");
    }
  }
}
