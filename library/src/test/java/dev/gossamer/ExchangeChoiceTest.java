package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.RunCost;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExchangeChoiceTest {
  private static final int N = 240;

  /// What a training chose, and planned.
  private static final class Heard implements TrainingListener {
    private final List<ExchangeChoice> choices = new ArrayList<>();
    private final List<TrainingPlan> plans = new ArrayList<>();

    @Override
    public void chosen(ExchangeChoice choice) {
      choices.add(choice);
    }

    @Override
    public void planned(TrainingPlan plan) {
      plans.add(plan);
    }
  }

  /// Nodes of one rank each, between which rows travel at some bytes a second.
  private static Cluster nodes(int count, double bandwidth) {
    return PlainRates.cluster(count, 1, 1L << 40, bandwidth);
  }

  private static GraphTraining training(Dataset dataset, int ranks) {
    return ExampleGraphs.training(dataset).gcn(6).threads(1).epochs(2).ranks(ranks);
  }

  private static ExchangeSpace placed(String... names) {
    return ExchangeSpace.ALL.withPlacements(List.of(names));
  }

  /// Consecutive vertices are alike in nothing: a partitioner saves most of what travels.
  @ParameterizedTest
  @ValueSource(doubles = {1e6, 1e9})
  void theUsualWayIsTakenUnlessAnotherSavesATenth(double bandwidth) {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Heard heard = new Heard();
      training(dataset, 4).listener(heard).planned(nodes(4, bandwidth), ExchangeSpace.ALL).train();
      ExchangeChoice choice = heard.choices.getFirst();
      List<PlannedStrategy> all = new ArrayList<>(choice.others());
      all.add(choice.chosen());
      PlannedStrategy usual =
          all.stream()
              .filter(each ->
                  each.ranks().strategy().equals(RankSettings.DEFAULT.strategy())
                      && each.placement().equals(RankSettings.USUAL_PLACEMENT))
              .findFirst()
              .orElseThrow();
      double best = all.stream().mapToDouble(PlannedStrategy::seconds).min().orElseThrow();
      double chosen = choice.chosen().seconds();
      if (best < Math.min(0.9 * usual.seconds(), usual.seconds() - 1e-3)) {
        assertThat(chosen).isEqualTo(best);
      } else {
        assertThat(choice.chosen()).isEqualTo(usual);
      }
      assertThat(heard.plans.getFirst().cost())
          .usingRecursiveComparison()
          .isEqualTo(choice.chosen().cost().orElseThrow().epoch());
    }
  }

  @Test
  void whatIsChosenIsWhatIsDone() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Heard heard = new Heard();
      // The first of what is open is the usual way: rows of all, in a random order.
      ExchangeSpace open =
          new ExchangeSpace(
              List.of(Kind.OBLIVIOUS, Kind.SPARSITY_AWARE),
              List.of(1, 2),
              List.of(false, true),
              List.of(Placed.RANDOM, RankSettings.USUAL_PLACEMENT));
      TrainingResult result =
          training(dataset, 4).listener(heard).planned(nodes(4, 1e6), open).train();
      RankSettings chosen = heard.choices.getFirst().chosen().ranks();
      assertThat(chosen.strategy().kind()).isEqualTo(Kind.SPARSITY_AWARE);
      assertThat(chosen.placement()).isEqualTo(RankSettings.USUAL_PLACEMENT);
      TrainingResult given = training(dataset, 4).ranks(chosen).train();
      assertThat(weights(result)).isEqualTo(weights(given));
      assertThat(result.facts()).isEqualTo(given.facts());
      TrainingFacts facts = result.facts();
      assertThat(facts).isInstanceOf(TrainingFacts.Sent.class);
      if (facts instanceof TrainingFacts.Sent sent) {
        RunCost cost = heard.choices.getFirst().chosen().cost().orElseThrow();
        assertThat(cost.epoch().traffic().bytesSent()).isEqualTo(sent.bytes());
      }
    }
  }

  private static float[] weights(TrainingResult result) {
    return result.model().weights().toArray(ValueLayout.JAVA_FLOAT);
  }

  @Tag("slow")
  @Test
  void nothingElseIsPlannedWhereRowsHardlyTravel() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Heard heard = new Heard();
      training(dataset, 4)
          .gcn(512, 512)
          .listener(heard)
          .planned(nodes(4, 1e12), placed(RankSettings.USUAL_PLACEMENT, Placed.RANDOM))
          .train();
      assertThat(heard.choices.getFirst().others()).isEmpty();
      assertThat(heard.choices.getFirst().movingShare()).isLessThan(0.1);
    }
  }

  /// An epoch saves no more than rows take to travel: hundredths of a second, if dividing takes
  /// tenths.
  @ParameterizedTest
  @CsvSource({"1, false", "100000, true"})
  void theGraphIsDividedAnewIfTheEpochsMakeUpForIt(int epochs, boolean divided) {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Heard heard = new Heard();
      Cluster cluster = nodes(16, 1e6);
      GraphTraining training =
          training(dataset, 16)
              .epochs(epochs)
              .listener(heard)
              .planned(cluster, placed(RankSettings.USUAL_PLACEMENT));
      Planning.of(training, cluster).asSet();
      assertThat(heard.choices.getFirst().others())
          .extracting(each -> each.ranks().strategy().replication())
          .contains(1);
      assertThat(heard.choices.getFirst().others())
          .extracting(each -> each.ranks().strategy().replication() > 1)
          .contains(divided);
    }
  }

  @Test
  void layersThatLookAtEdgesLeaveThePlacementToChoose() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Heard heard = new Heard();
      training(dataset, 4).gat(8).listener(heard).planned(nodes(4, 1e6), ExchangeSpace.ALL).train();
      assertThat(heard.choices.getFirst().others())
          .hasSize(2)
          .extracting(each -> each.ranks().strategy())
          .containsOnly(RankSettings.DEFAULT.strategy());
    }
  }

  @Test
  void oneRankHasNoChoice() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Heard heard = new Heard();
      training(dataset, 1).listener(heard).planned(nodes(1, 1e6), ExchangeSpace.ALL).train();
      assertThat(heard.choices).isEmpty();
      assertThat(heard.plans.getFirst().cost()).isNotNull();
    }
  }

  @Test
  void nothingToChooseFromIsRefused() {
    assertThatThrownBy(() -> ExchangeSpace.ALL.withPlacements(List.of()))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("placement: expected at least one");
  }
}
