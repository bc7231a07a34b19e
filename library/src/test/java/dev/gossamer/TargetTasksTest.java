package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Metric;
import dev.gossamer.run.NumberScoring;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Several labels and numbers of each vertex, on every road that classes go.
final class TargetTasksTest {
  private static final int N = 240;

  @TempDir Path folder;

  private static InferenceSettings inference() {
    return InferenceSettings.DEFAULT.withMachine(ExampleGraphs.MACHINE);
  }

  /// Labels that follow from the class, or numbers that do and are in units of their own; some are
  /// not known.
  private static Dataset dataset(Task task) {
    Random random = new Random(3);
    float[][] values = new float[N][2];
    for (int v = 0; v < N; v++) {
      int c = v % 3;
      values[v][0] = task == Task.MULTI_LABEL ? c == 0 ? 1 : 0 : 1000 + 50 * c;
      values[v][1] = task == Task.MULTI_LABEL ? c == 2 ? 0 : 1 : (float) (c == 1 ? -0.01 : 0.02);
      for (int t = 0; t < 2; t++) {
        values[v][t] = random.nextInt(9) == 0 ? Float.NaN : values[v][t];
      }
    }
    var builder = ExampleGraphs.builder(N, 1).split(ExampleGraphs.split(N));
    return Dataset.of(
        (task == Task.MULTI_LABEL ? builder.multiLabels(values) : builder.numbers(values))
            .targetNames(List.of("first", "second"))
            .build());
  }

  private static GraphTraining training(Dataset dataset) {
    return ExampleGraphs.training(dataset).sage(8).dropout(0, 0).threads(1).epochs(5);
  }

  private static MinibatchSettings batches() {
    return MinibatchSettings.of(Sampler.sage(500, 500));
  }

  private static List<Double> losses(TrainingResult result) {
    return result.records().stream().map(EpochRecord::loss).toList();
  }

  @ParameterizedTest
  @EnumSource(names = {"MULTI_LABEL", "REGRESSION"})
  void isTheSameOnAnyNumberOfRanksAndOnOneBatchOfAll(Task task) {
    try (Dataset dataset = dataset(task)) {
      GraphTraining one = training(dataset);
      TrainingResult expected = one.train();
      List<TrainingResult> others = new ArrayList<>();
      others.add(one.ranks(4).train());
      others.add(one.minibatches(batches()).train());
      others.add(one.minibatches(batches()).ranks(2).train());
      for (TrainingResult other : others) {
        for (int epoch = 0; epoch < 5; epoch++) {
          assertThat(losses(other).get(epoch)).isCloseTo(losses(expected).get(epoch), within(1e-4));
        }
        expected
            .evaluation()
            .test()
            .values()
            .forEach((metric, score) ->
                assertThat(other.evaluation().test().value(metric).orElseThrow())
                    .as(metric.name())
                    .isCloseTo(score, within(1e-3 * Math.max(1, Math.abs(score)))));
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(names = {"MULTI_LABEL", "REGRESSION"})
  void historicalEmbeddingsTrainItToo(Task task) {
    try (Dataset dataset = dataset(task)) {
      TrainingResult result =
          training(dataset)
              .epochs(20)
              .minibatches(batches().withOwnBatches(HistoricalSettings.DEFAULT))
              .ranks(2)
              .train();
      List<Double> losses = losses(result);
      assertThat(losses.getLast()).isLessThan(0.7 * losses.getFirst());
    }
  }

  @Test
  void severalLabelsAreLearnedStoredAndPredicted() throws IOException {
    try (Dataset dataset = dataset(Task.MULTI_LABEL)) {
      TrainingResult result = training(dataset).epochs(60).train();
      Evaluation.Scores test = result.evaluation().test();
      assertThat(test.values().keySet())
          .containsExactly(
              Metric.LOSS, Metric.MICRO_F1, Metric.MACRO_F1, Metric.ROC_AUC, Metric.PR_AUC);
      assertThat(test.microF1()).isGreaterThan(0.8);
      assertThat(test.rocAuc().orElseThrow()).isGreaterThan(0.85);
      assertThat(result.majority()).isNull();
      Path file = folder.resolve("labels.safetensors");
      result.model().write(file);
      GraphModel model = GraphModel.open(file);
      assertThat(model.description().outputs()).isEqualTo(result.model().description().outputs());
      assertThat(model.task()).isEqualTo(Task.MULTI_LABEL);
      assertThat(model.evaluate(dataset, inference()).test().microF1())
          .isCloseTo(test.microF1(), within(1e-9));
      LabelEvaluation each = model.evaluateLabels(dataset, inference());
      assertThat(each.test().microF1()).isCloseTo(test.microF1(), within(1e-9));
      assertThat(each.test().recall(1).orElseThrow()).isGreaterThan(0.8);
      assertOfLabels(each, test, dataset.data());
      Predictions predictions = model.predict(dataset, inference());
      assertThat(predictions.labelsOf(1)).containsExactly("second");
      predictions.write(
          folder.resolve("out"), Predictions.Contents.PROBABILITIES, Predictions.Columns.ALL);
      assertThat(Files.readAllLines(folder.resolve("out/predictions.csv")).getFirst())
          .isEqualTo("vertex,labels,first,second");
      assertThat(folder.resolve("out/probabilities.npy")).exists();
      assertThatThrownBy(() -> model.evaluateClasses(dataset, inference()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage("example: expected a model that predicts classes, found one for multi-label");
    }
  }

  /// The scores of a part are means of those of its labels, and every vertex is counted.
  private static void assertOfLabels(LabelEvaluation each, Evaluation.Scores test, GraphData data) {
    assertThat(each.lastPart()).isEqualTo(Split.TEST);
    assertThat(each.lastCounts()).isSameAs(each.test());
    assertThat(each.areas().stream().mapToDouble(area -> area.roc().orElseThrow()).average())
        .hasValueCloseTo(test.rocAuc().orElseThrow(), within(1e-9));
    assertThat(each.areas().stream().mapToDouble(area -> area.precision().orElseThrow()).average())
        .hasValueCloseTo(test.prAuc().orElseThrow(), within(1e-9));
    DenseMatrix truth = Objects.requireNonNull(data.targets()).values();
    for (int t = 0; t < 2; t++) {
      int known = 0;
      int positive = 0;
      for (int v : data.labelled(Split.TEST)) {
        known += Float.isNaN(truth.get(v, t)) ? 0 : 1;
        positive += truth.get(v, t) == 1 ? 1 : 0;
      }
      assertThat(each.test().known(t)).isEqualTo(known);
      assertThat(each.test().support(t)).isEqualTo(positive).isLessThan(known);
    }
  }

  /// By the definitions, from what is predicted.
  private static void assertOfNumbers(
      NumberEvaluation found, Predictions predictions, GraphData data) {
    assertThat(found.lastPart()).isEqualTo(Split.TEST);
    assertThat(found.names()).containsExactly("first", "second");
    DenseMatrix truth = Objects.requireNonNull(data.targets()).values();
    for (int t = 0; t < 2; t++) {
      int column = t;
      int[] known =
          Arrays.stream(data.labelled(Split.TEST))
              .filter(v -> !Float.isNaN(truth.get(v, column)))
              .toArray();
      double mean = Arrays.stream(known).mapToDouble(v -> truth.get(v, column)).average().orElse(0);
      double squares = 0;
      double apart = 0;
      double spread = 0;
      for (int v : known) {
        double distance = predictions.value(v, t) - truth.get(v, t);
        squares += distance * distance;
        apart += Math.abs(distance);
        spread += (truth.get(v, t) - mean) * (truth.get(v, t) - mean);
      }
      NumberScoring.OfColumn scores = found.numbers().get(t);
      assertThat(scores.count()).isEqualTo(known.length);
      double rmse = Math.sqrt(squares / known.length);
      assertThat(scores.rmse()).isCloseTo(rmse, within(1e-9 * rmse));
      assertThat(scores.mae()).isCloseTo(apart / known.length, within(1e-9 * rmse));
      assertThat(scores.r2()).isCloseTo(1 - squares / spread, within(1e-9));
    }
  }

  @Test
  void numbersAreLearnedInTheirUnits() throws IOException {
    try (Dataset dataset = dataset(Task.REGRESSION)) {
      TrainingResult result = training(dataset).epochs(150).learningRate(0.02).train();
      Evaluation.Scores test = result.evaluation().test();
      assertThat(test.values().keySet())
          .containsExactly(Metric.LOSS, Metric.RMSE, Metric.MAE, Metric.R2);
      assertThat(test.value(Metric.R2).orElseThrow()).isGreaterThan(0.5);
      Path file = folder.resolve("numbers.safetensors");
      result.model().write(file);
      GraphModel model = GraphModel.open(file);
      assertThat(model.description().outputs()).isEqualTo(result.model().description().outputs());
      Predictions predictions = model.predict(dataset, inference());
      assertThat(predictions.value(0, 0)).isBetween(900.0, 1200.0);
      assertThat(predictions.value(0, 1)).isBetween(-0.05, 0.05);
      predictions.write(folder.resolve("out"));
      assertThat(Files.readAllLines(folder.resolve("out/predictions.csv")).getFirst())
          .isEqualTo("vertex,first,second");
      assertThat(folder.resolve("out/values.npy")).exists();
      NumberEvaluation each = model.evaluateNumbers(dataset, inference());
      assertThat(each.scores()).isEqualTo(model.evaluate(dataset, inference()));
      assertOfNumbers(each, predictions, dataset.data());
      assertThatThrownBy(() -> model.evaluateLabels(dataset, inference()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "example: expected a model that predicts several labels, found one for regression");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MULTI_LABEL", "REGRESSION"})
  void aModelIsScoredOnTheSplitThatTrainingHasDrawn(Task task) throws IOException {
    StringBuilder ring = new StringBuilder();
    StringBuilder known = new StringBuilder();
    for (int v = 0; v < N; v++) {
      ring.append("%d %d%n".formatted(v, (v + 1) % N));
      known.append(
          (task == Task.MULTI_LABEL ? "%d,%d%n" : "%d.5,%d.25%n").formatted(v % 2, v % 3 / 2));
    }
    Path labels = Files.writeString(folder.resolve("known.csv"), known);
    DataSettings settings =
        DataSettings.of(Files.writeString(folder.resolve("ring.txt"), ring).toString())
            .withVertexData(new VertexData("degree", labels.toString(), null, null));
    try (Dataset trained = settings.open(CacheListener.SILENT)) {
      assertThat(trained.hasSplit()).isFalse();
      TrainingResult result = training(trained).train();
      try (Dataset again = settings.openFor(result.model(), CacheListener.SILENT)) {
        double loss = result.model().evaluate(again, inference()).test().loss();
        assertThat(loss).isCloseTo(result.evaluation().test().loss(), within(1e-6));
      }
    }
  }

  private String written(String name, Dataset dataset) throws IOException {
    Path at = folder.resolve(name);
    DatasetFolder.write(at, dataset.data());
    dataset.close();
    return at.toString();
  }

  private static Dataset stars(String... names) {
    int[] labels = IntStream.range(0, N).map(v -> v % names.length).toArray();
    return Dataset.of(
        ExampleGraphs.builder(N, 2)
            .labels(labels)
            .classNames(List.of(names))
            .split(ExampleGraphs.split(N))
            .build());
  }

  @Test
  void aModelOfClassesAsNumbersIsScoredOnOtherData() throws IOException {
    DataSettings settings =
        DataSettings.of(written("stars", stars("1", "2.5", "5")))
            .withVertexData(new VertexData(null, null, Task.REGRESSION, null));
    GraphModel model;
    try (Dataset dataset = settings.open()) {
      model = training(dataset).run();
    }
    try (Dataset same = settings.openFor(model, CacheListener.SILENT);
        Dataset other =
            settings
                .withData(written("others", stars("5", "1", "2.5", "4")))
                .openFor(model, CacheListener.SILENT)) {
      assertThat(same.task()).isEqualTo(Task.REGRESSION);
      Evaluation.Scores found = model.evaluate(other, inference()).test();
      assertThat(found.value(Metric.RMSE).orElseThrow()).isPositive();
      DenseMatrix numbers = Objects.requireNonNull(other.data().targets()).values();
      assertThat(numbers.get(3, 0)).isEqualTo(4);
      assertThat(model.evaluateNumbers(other, inference()).names()).containsExactly("label");
    }
    for (Dataset each : List.of(stars("good", "bad"), ExampleGraphs.unlabelled(N, 2))) {
      String at = written("without" + each.classes().size(), each);
      try (Dataset other = settings.withData(at).openFor(model, CacheListener.SILENT)) {
        assertThat(model.predict(other, inference()).vertices()).isEqualTo(N);
        assertThatThrownBy(() -> model.evaluate(other, inference()))
            .isInstanceOf(InvalidInputException.class)
            .hasMessageContaining("expected numbers to score the model on");
      }
    }
  }

  /// A model trained on `first, second` scores a data set that has them the other way round.
  @ParameterizedTest
  @EnumSource(names = {"MULTI_LABEL", "REGRESSION"})
  void namesTellWhichIsWhich(Task task) {
    try (Dataset dataset = dataset(task)) {
      GraphModel model = training(dataset).run();
      GraphData data = dataset.data();
      Targets targets = Objects.requireNonNull(data.targets());
      DenseMatrix turned = DenseMatrix.allocate(Arena.ofAuto(), N, 2);
      for (int v = 0; v < N; v++) {
        turned.set(v, 0, targets.values().get(v, 1));
        turned.set(v, 1, targets.values().get(v, 0));
      }
      Dataset other =
          Dataset.of(data.withTargets(new Targets(task, turned, List.of("second", "first"))));
      assertThat(model.evaluate(other, inference()))
          .isEqualTo(model.evaluate(dataset, inference()));
      assertThat(model.predict(other, inference()).classes()).containsExactly("second", "first");
      Dataset unknown =
          Dataset.of(data.withTargets(new Targets(task, turned, List.of("second", "third"))));
      assertThatThrownBy(() -> model.evaluate(unknown, inference()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("(first, second), found 2 (second, third); missing: first;");
    }
  }

  @Test
  void whatDoesNotSuitTheTaskIsRefused() {
    try (Dataset labels = dataset(Task.MULTI_LABEL);
        Dataset numbers = dataset(Task.REGRESSION);
        Dataset classes = ExampleGraphs.dense(120, 1)) {
      refused(
          training(labels).loss(LossSettings.DEFAULT.withLoss(new Loss.Focal(2))),
          "loss: expected cross-entropy for the task of example, which is multi-label, found focal");
      refused(
          training(numbers).loss(LossSettings.DEFAULT.withLoss(new Loss.CrossEntropy())),
          "loss: expected squared, absolute or huber for the task of example, which is regression, found cross-entropy");
      refused(
          training(classes).loss(LossSettings.DEFAULT.withLoss(new Loss.Squared())),
          "loss: expected cross-entropy or focal for the task of example, which is classification, found squared");
      refused(
          training(numbers).loss(LossSettings.DEFAULT.withClassWeights("balanced")),
          "classWeights: the task of example, which is regression, does not read it; leave it out");
      refused(
          training(numbers).selectBy(Metric.ACCURACY),
          "selectBy: expected one of loss, rmse, mae, r2 for the task of example, which is regression, found accuracy");
      GraphModel model = training(classes).run();
      assertThatThrownBy(() -> model.evaluate(labels, inference()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "example: expected labels to score the model on, found the task multi-label; predicting needs none");
      assertThat(model.predict(labels, inference()).vertices()).isEqualTo(N);
    }
  }

  private static Dataset equal(Task task) {
    float[][] values = new float[N][2];
    for (int v = 0; v < N; v++) {
      // Vertices of all parts, but those for validation alone, have different first values.
      values[v][0] = ExampleGraphs.split(N)[v] == Split.VALIDATION || v % 2 == 0 ? 1 : 0;
      values[v][1] = Float.NaN;
    }
    var builder = ExampleGraphs.builder(N, 1).split(ExampleGraphs.split(N));
    return Dataset.of(
        (task == Task.MULTI_LABEL ? builder.multiLabels(values) : builder.numbers(values)).build());
  }

  @Test
  void aScoreThatValidationDoesNotHaveSelectsNothing() {
    try (Dataset labels = equal(Task.MULTI_LABEL);
        Dataset numbers = equal(Task.REGRESSION)) {
      for (Metric area : List.of(Metric.ROC_AUC, Metric.PR_AUC)) {
        refused(
            training(labels).selectBy(area),
            "selectBy: %s needs a label of which the validation part has different values, found none of 2"
                .formatted(InvalidSettingException.nameOf(area)));
      }
      refused(
          training(numbers).selectBy(Metric.R2),
          "selectBy: r2 needs a number of which the validation part has different values, found none of 2");
      assertThat(training(labels).selectBy(Metric.MACRO_F1).train().end().bestEpoch()).isPositive();
      assertThat(training(numbers).selectBy(Metric.MAE).train().end().bestEpoch()).isPositive();
    }
    try (Dataset labels = dataset(Task.MULTI_LABEL);
        Dataset numbers = dataset(Task.REGRESSION)) {
      assertThat(training(labels).selectBy(Metric.PR_AUC).train().end().bestEpoch()).isPositive();
      assertThat(training(numbers).selectBy(Metric.R2).train().end().bestEpoch()).isPositive();
    }
  }

  private static void refused(GraphTraining training, String message) {
    assertThatThrownBy(training::run)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(message);
  }

  @Test
  void aVertexOfWhichNothingIsKnownIsNotCounted() {
    float[][] values = new float[N][1];
    for (int v = 0; v < N; v++) {
      values[v][0] = v % 2 == 0 ? v : Float.NaN;
    }
    Dataset dataset =
        Dataset.of(
            ExampleGraphs.builder(N, 1).numbers(values).split(ExampleGraphs.split(N)).build());
    long expected = 0;
    Split[] split = ExampleGraphs.split(N);
    for (int v = 0; v < N; v += 2) {
      expected += split[v] == Split.TEST ? 1 : 0;
    }
    assertThat(training(dataset).train().evaluation().test().count()).isEqualTo(expected);
    dataset.close();
  }
}
