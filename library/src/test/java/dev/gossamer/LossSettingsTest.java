package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.graph.Split;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LossSettingsTest {
  @TempDir Path folder;

  private static GraphTraining training(Dataset dataset) {
    return ExampleGraphs.training(dataset).gcn(6).dropout(0, 0).threads(1).epochs(5);
  }

  private static LossSettings balancedFocal() {
    return LossSettings.DEFAULT.withLoss(new Loss.Focal(1.5)).withClassWeights("balanced");
  }

  static Stream<LossSettings> losses() {
    return Stream.of(
        LossSettings.DEFAULT.withLabelSmoothing(0.2),
        LossSettings.DEFAULT.withClassWeights("balanced"),
        balancedFocal());
  }

  private static List<Double> losses(GraphTraining training) {
    return training.train().records().stream().map(EpochRecord::loss).toList();
  }

  /// One vertex of 12 is of the rare class, about which features and edges say a little.
  private static Dataset rare(int n) {
    int[] labels = IntStream.range(0, n).map(v -> v % 12 == 0 ? 1 : 0).toArray();
    return Dataset.of(
        ExampleGraphs.builder(n, 5)
            .labels(labels)
            .classNames(List.of("usual", "rare"))
            .split(ExampleGraphs.split(n))
            .build());
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("losses")
  void isTheSameOnAnyNumberOfRanksAndOnOneBatchOfAll(LossSettings loss) {
    try (Dataset dataset = ExampleGraphs.dense(120, 1)) {
      GraphTraining plain = training(dataset).sage(6);
      GraphTraining one = plain.loss(loss);
      List<Double> expected = losses(one);
      assertThat(expected).isNotEqualTo(losses(plain));
      List<List<Double>> others = new ArrayList<>();
      others.add(losses(one.ranks(4)));
      others.add(losses(one.minibatches(MinibatchSettings.of(Sampler.sage(500, 500)))));
      for (List<Double> other : others) {
        for (int epoch = 0; epoch < expected.size(); epoch++) {
          assertThat(other.get(epoch)).isCloseTo(expected.get(epoch), within(1e-5));
        }
      }
    }
  }

  @Test
  void balancedWeightsFindMoreOfTheRareClass() {
    try (Dataset dataset = rare(600)) {
      GraphTraining plain = training(dataset).epochs(60).selectBy(Metric.LOSS);
      ClassEvaluation found = evaluate(plain, dataset);
      ClassEvaluation balanced = evaluate(plain.loss(balancedFocal()), dataset);
      assertThat(found.test().recall(1).orElseThrow()).isLessThan(0.2);
      assertThat(balanced.test().recall(1).orElseThrow()).isGreaterThan(0.5);
    }
  }

  private static ClassEvaluation evaluate(GraphTraining training, Dataset dataset) {
    return training
        .run()
        .evaluateClasses(dataset, InferenceSettings.DEFAULT.withMachine(ExampleGraphs.MACHINE));
  }

  @Test
  void epochsAreSelectedByAnyScoreThatThereIs() {
    try (Dataset two = rare(240);
        Dataset three = ExampleGraphs.dense(120, 1)) {
      TrainingResult result = training(two).epochs(12).selectBy(Metric.PR_AUC).train();
      double best =
          result.records().stream()
              .map(EpochRecord::evaluation)
              .mapToDouble(each -> each.validation().prAuc().orElseThrow())
              .max()
              .orElseThrow();
      assertThat(result.evaluation().validation().prAuc()).hasValue(best);
      assertThat(result.model().description().facts()).containsKey("validation_pr_auc");
      assertThatThrownBy(training(three).selectBy(Metric.ROC_AUC)::run)
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "selectBy: roc-auc needs two classes, both in the validation part; found 3 classes, 3 of them there");
    }
  }

  @Tag("slow")
  @Test
  void weightsThatChangedAreNoReasonToGoOn() throws IOException {
    Path weights = Files.writeString(folder.resolve("w.csv"), "red,1\ngreen,2\nblue,3\n");
    try (Dataset dataset = ExampleGraphs.dense(120, 1)) {
      GraphTraining weighted =
          training(dataset).loss(LossSettings.DEFAULT.withClassWeights(weights.toString()));
      weighted.folder(folder.resolve("runs")).run();
      Path run;
      try (Stream<Path> runs = Files.list(folder.resolve("runs"))) {
        run = runs.findFirst().orElseThrow();
      }
      Files.writeString(weights, "red,1\ngreen,2\nblue,4\n");
      assertThatThrownBy(weighted.epochs(9).resume(run)::run)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("found data that differ in: class weights;");
    }
  }

  @Tag("slow")
  @Test
  void classesWithoutTrainingVerticesAreNamed() {
    try (Dataset dataset = ExampleGraphs.labelled(90, 1)) {
      List<String> warnings = new ArrayList<>();
      TrainingListener listener =
          new TrainingListener() {
            @Override
            public void warning(String text) {
              warnings.add(text);
            }
          };
      training(parts(dataset, 1)).listener(listener).run();
      assertThat(warnings)
          .contains("1 of 3 classes have no training vertex and cannot be learned: blue");
      assertThatThrownBy(training(parts(dataset, 0))::run)
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "example: expected training vertices of at least 2 classes, found only 'red'; draw another split");
    }
  }

  /// With training vertices of the first classes alone. Shares the other's memory.
  private static Dataset parts(Dataset dataset, int last) {
    byte[] split = new byte[dataset.vertices()];
    for (int v = 0; v < split.length; v++) {
      Split other = v % 2 == 0 ? Split.VALIDATION : Split.TEST;
      split[v] = (v % 3 <= last && v % 5 < 3 ? Split.TRAIN : other).code();
    }
    return Dataset.of(dataset.data().withSplit(split));
  }

  @Test
  void refusesSettingsThatDoNotGoTogether() {
    assertThatThrownBy(() -> balancedFocal().withLabelSmoothing(0.1))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("labelSmoothing: loss focal does not read it; leave it out");
    assertThatThrownBy(() -> LossSettings.DEFAULT.withLabelSmoothing(1))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("labelSmoothing: expected 0 <= rate < 1, found 1.0");
    assertThatThrownBy(() -> new Loss.Focal(-1))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("focalGamma: expected 0 or more, found -1.0");
  }
}
