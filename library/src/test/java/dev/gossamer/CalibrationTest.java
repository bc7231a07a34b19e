package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.CalibrationSettings.Threshold;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.gnn.objective.ClassDecision;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Metric;
import dev.gossamer.run.Team;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CalibrationTest {
  private static final int N = 600;

  @TempDir Path folder;

  private static InferenceSettings inference() {
    return InferenceSettings.DEFAULT.withMachine(ExampleGraphs.MACHINE);
  }

  /// One vertex of three has the second class, as its features tell of three vertices of four.
  private static Dataset two() {
    Random random = new Random(4);
    int[] labels =
        IntStream.range(0, N)
            .map(v -> (random.nextInt(4) == 0 ? random.nextInt(3) : v % 3) == 0 ? 1 : 0)
            .toArray();
    return Dataset.of(
        ExampleGraphs.builder(N, 3)
            .labels(labels)
            .classNames(List.of("no", "yes"))
            .split(ExampleGraphs.split(N))
            .build());
  }

  private static GraphModel trained(Dataset dataset) {
    return ExampleGraphs.training(dataset)
        .sage(32)
        .dropout(0, 0)
        .learningRate(0.03)
        .epochs(150)
        .selectBy(Metric.ACCURACY)
        .threads(1)
        .run();
  }

  private static Calibration calibrated(GraphModel model, Dataset data, Threshold rule) {
    return model.calibrate(data, CalibrationSettings.DEFAULT.withThreshold(rule), inference());
  }

  /// Labels are drawn from the softmax of logits that are then multiplied.
  @ParameterizedTest
  @ValueSource(doubles = {0.25, 1, 3})
  void findsTheTemperatureThatLogitsWereMultipliedBy(double factor) {
    int n = 20_000;
    Random random = new Random(1);
    DenseMatrix logits = DenseMatrix.allocate(Arena.ofAuto(), n, 3);
    int[] labels = new int[n];
    for (int v = 0; v < n; v++) {
      double[] weight = new double[3];
      for (int c = 0; c < 3; c++) {
        double z = 2 * random.nextGaussian();
        weight[c] = Math.exp(z);
        logits.set(v, c, (float) (factor * z));
      }
      double drawn = random.nextDouble() * (weight[0] + weight[1] + weight[2]);
      labels[v] = drawn < weight[0] ? 0 : drawn < weight[0] + weight[1] ? 1 : 2;
    }
    int[] rows = IntStream.range(0, n).toArray();
    try (Arena arena = Arena.ofShared()) {
      LabelledLogits labelled =
          new LabelledLogits(logits, labels, Team.of(ThreadRanks.alone(), arena));
      double found = labelled.temperature(rows);
      // 20,000 draws determine it to within some percent.
      assertThat(found).isCloseTo(factor, within(0.06 * factor));
      Calibration.Quality best = labelled.quality(new ClassDecision(found, null), rows);
      assertThat(best.error()).isLessThan(0.02);
      // No other temperature has a smaller cross-entropy.
      for (double other : new double[] {0.95 * found, 1.05 * found}) {
        assertThat(labelled.quality(new ClassDecision(other, null), rows).loss())
            .isGreaterThan(best.loss());
      }
    }
  }

  /// Three vertices of a confidence of 0.9, of which two are right, and one of 0.6, which is wrong.
  @Test
  void theCalibrationErrorIsTheDistanceOfConfidenceFromAccuracy() {
    float high = (float) Math.log(9);
    float low = (float) Math.log(1.5);
    DenseMatrix logits =
        DenseMatrix.of(Arena.ofAuto(), new float[][] {{high, 0}, {0, high}, {high, 0}, {low, 0}});
    try (Arena arena = Arena.ofShared()) {
      Calibration.Quality found =
          new LabelledLogits(logits, new int[] {0, 1, 1, 1}, Team.of(ThreadRanks.alone(), arena))
              .quality(ClassDecision.LIKELIEST, 0, 1, 2, 3);
      assertThat(found.error()).isCloseTo((3 * 0.9 - 2 + 0.6) / 4, within(1e-6));
      List<Reliability.Bin> bins = found.reliability().bins();
      assertThat(bins).hasSize(Reliability.BINS);
      assertThat(found.reliability().vertices()).isEqualTo(4);
      assertThat(bins.get(13).vertices()).isEqualTo(3);
      assertThat(bins.get(13).confidence()).isCloseTo(0.9, within(1e-6));
      assertThat(bins.get(13).accuracy()).isEqualTo(2 / 3.0);
      assertThat(bins.get(0).confidence()).isNaN();
      assertThat(found.loss())
          .isCloseTo(-(2 * Math.log(0.9) + Math.log(0.1) + Math.log(0.4)) / 4, within(1e-6));
      assertThat(found.counts().accuracy()).isEqualTo(0.5);
    }
  }

  @Test
  void changesProbabilitiesAndNotTheLikeliestClass() {
    try (Dataset dataset = two()) {
      GraphModel model = trained(dataset);
      Calibration found = calibrated(model, dataset, new Threshold.Likeliest());
      Calibration.Change validation = found.validation();
      assertThat(validation.after().loss()).isLessThan(validation.before().loss());
      Evaluation before = model.evaluate(dataset, inference());
      Evaluation after = found.model().evaluate(dataset, inference());
      assertThat(after.test().accuracy()).isEqualTo(before.test().accuracy());
      assertThat(before.test().loss()).isCloseTo(found.test().before().loss(), within(1e-12));
      assertThat(after.test().loss()).isCloseTo(found.test().after().loss(), within(1e-12));
    }
  }

  @Test
  void theModelFileKeepsWhatWasFittedAndWhatItHadBefore() throws IOException {
    try (Dataset dataset = two()) {
      GraphModel model = trained(dataset);
      Path file = folder.resolve("model.safetensors");
      model.write(file);
      byte[] plain = Files.readAllBytes(file);
      GraphModel fitted = calibrated(model, dataset, new Threshold.BestF1()).model();
      fitted.write(file);
      GraphModel read = GraphModel.open(file);
      assertThat(read.description().outputs()).isEqualTo(fitted.description().outputs());
      assertThat(read.description().facts()).isEqualTo(fitted.description().facts());
      assertThat(read.evaluate(dataset, inference()))
          .isEqualTo(fitted.evaluate(dataset, inference()));
      assertThat(read.calibrate(dataset, CalibrationSettings.DEFAULT, inference()).validation())
          .usingRecursiveComparison()
          .withEqualsForType(Double::equals, Double.class)
          .isEqualTo(calibrated(model, dataset, new Threshold.Likeliest()).validation());
      read.calibrate(dataset, CalibrationSettings.NONE, inference()).model().write(file);
      assertThat(Files.readAllBytes(file)).isEqualTo(plain);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void ranksFitTheSame(int ranks) {
    try (Dataset dataset = two()) {
      GraphModel model = trained(dataset);
      Calibration one = calibrated(model, dataset, new Threshold.BestF1());
      Calibration several =
          model.calibrate(
              dataset,
              CalibrationSettings.DEFAULT.withThreshold(new Threshold.BestF1()),
              inference().withRanks(RankSettings.DEFAULT.withCount(ranks)));
      ClassDecision expected = one.model().description().outputs().decision();
      ClassDecision found = several.model().description().outputs().decision();
      assertThat(found.temperature()).isCloseTo(expected.temperature(), within(1e-5));
      assertThat(found.threshold()).isCloseTo(expected.threshold(), within(1e-5));
      assertThat(several.test().after().loss()).isCloseTo(one.test().after().loss(), within(1e-5));
      assertThat(several.test().after().counts())
          .usingRecursiveComparison()
          .isEqualTo(one.test().after().counts());
    }
  }

  @Test
  void aThresholdDecidesBetweenTwoClasses() {
    try (Dataset dataset = two()) {
      GraphModel model = trained(dataset);
      Calibration precise = calibrated(model, dataset, new Threshold.AtPrecision(0.75));
      assertThat(precise.validation().after().counts().precision(1).orElseThrow())
          .isGreaterThanOrEqualTo(0.75);
      Calibration best = calibrated(model, dataset, new Threshold.BestF1());
      assertThat(best.validation().after().counts().f1(1).orElseThrow())
          .isGreaterThanOrEqualTo(best.validation().before().counts().f1(1).orElseThrow())
          .isGreaterThanOrEqualTo(precise.validation().after().counts().f1(1).orElseThrow());
      Calibration often = calibrated(model, dataset, new Threshold.Fixed(0.05));
      ClassEvaluation found = often.model().evaluateClasses(dataset, inference());
      assertThat(found.test()).usingRecursiveComparison().isEqualTo(often.test().after().counts());
      assertThat(found.test().recall(1).orElseThrow())
          .isGreaterThan(
              model.evaluateClasses(dataset, inference()).test().recall(1).orElseThrow());
      Predictions predictions = often.model().predict(dataset, inference());
      for (int v = 0; v < N; v++) {
        assertThat(predictions.classOf(v)).isEqualTo(predictions.probability(v, 1) >= 0.05 ? 1 : 0);
      }
    }
  }

  /// A data set may have the classes in another order; the threshold is for the same one.
  @Test
  void aThresholdIsForAClassAndNotForANumber() {
    try (Dataset dataset = two()) {
      GraphModel often = calibrated(trained(dataset), dataset, new Threshold.Fixed(0.05)).model();
      GraphData data = dataset.data();
      GraphData other =
          data.withLabels(
              Arrays.stream(data.labels()).map(c -> 1 - c).toArray(), List.of("yes", "no"));
      Predictions expected = often.predict(dataset, inference());
      Predictions found = often.predict(Dataset.of(other), inference());
      for (int v = 0; v < N; v++) {
        assertThat(found.classNameOf(v)).isEqualTo(expected.classNameOf(v));
      }
    }
  }

  @Test
  void whatCannotBeFittedIsRefused() {
    try (Dataset three = ExampleGraphs.dense(120, 1)) {
      GraphModel model = ExampleGraphs.training(three).gcn(4).epochs(2).threads(1).run();
      for (Threshold rule : List.of(new Threshold.BestF1(), new Threshold.Fixed(0.5))) {
        assertThatThrownBy(() -> calibrated(model, three, rule))
            .isInstanceOf(InvalidSettingException.class)
            .hasMessage("threshold: expected a model of two classes, found one of 3; leave it out");
      }
      int[] labels = three.data().labels().clone();
      for (int v = 0; v < labels.length; v++) {
        labels[v] = three.data().isLabelled(v, Split.VALIDATION) ? GraphData.UNLABELLED : labels[v];
      }
      Dataset without = Dataset.of(three.data().withLabels(labels));
      assertThatThrownBy(() -> calibrated(model, without, new Threshold.Likeliest()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "example: expected labelled validation vertices to fit probabilities to, found none; draw a split with some");
    }
    assertThatThrownBy(() -> new Threshold.Fixed(1))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("threshold: expected a number between 0 and 1, found 1.0");
    assertThatThrownBy(() -> new Threshold.AtPrecision(Double.NaN))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("threshold: expected a precision above 0 and up to 1, found NaN");
    assertThatThrownBy(() -> CalibrationSettings.DEFAULT.withTemperature(0.0))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("temperature: expected 0.05 to 20.0, found 0.0");
  }

  @Test
  void aThresholdNeedsVerticesOfItsClass() {
    try (Dataset dataset = two()) {
      GraphModel model = trained(dataset);
      GraphData data = dataset.data();
      int[] labels =
          IntStream.range(0, N)
              .map(v -> data.isLabelled(v, Split.VALIDATION) ? 0 : data.labels()[v])
              .toArray();
      Dataset without = Dataset.of(data.withLabels(labels));
      assertThatThrownBy(() -> calibrated(model, without, new Threshold.BestF1()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "example: expected validation vertices of class 'yes' to choose its threshold, found none; give a number");
      assertThat(calibrated(model, without, new Threshold.Fixed(0.5)).test().after().loss())
          .isPositive();
    }
  }

  @Test
  void aPrecisionOutOfReachIsRefusedWithTheHighest() {
    try (Dataset dataset = two()) {
      // All have the same features and neighbours: one threshold predicts all, or nobody.
      GraphData data = dataset.data();
      Dataset same =
          Dataset.of(
              GraphData.builder(N)
                  .name("same")
                  .features(new float[N][ExampleGraphs.WIDTH])
                  .labels(data.labels())
                  .classNames(List.of("no", "yes"))
                  .split(ExampleGraphs.split(N))
                  .build());
      long all =
          IntStream.range(0, N).filter(v -> same.data().isLabelled(v, Split.VALIDATION)).count();
      long positive =
          IntStream.range(0, N)
              .filter(v -> same.data().isLabelled(v, Split.VALIDATION) && data.labels()[v] == 1)
              .count();
      GraphModel model = trained(dataset);
      String most = Long.toString(10_000 * positive / all);
      assertThatThrownBy(() -> calibrated(model, same, new Threshold.AtPrecision(0.99)))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "threshold: expected a precision that a threshold reaches on the validation vertices, 0.%s at most, found 0.99",
              most);
      assertThat(
              calibrated(model, same, new Threshold.AtPrecision(Double.parseDouble("0." + most)))
                  .validation()
                  .after()
                  .counts()
                  .recall(1))
          .hasValue(1);
    }
  }
}
