package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassLossTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  @Test
  void givesLossAndGradientOfTheListedRows() {
    int n = 2500;
    Samples.widths()
        .forEach(classes -> {
          Random random = new Random(classes);
          int[] labels =
              IntStream.range(0, n).map(i -> i % 3 == 0 ? random.nextInt(classes) : -1).toArray();
          int[] rows = IntStream.range(0, n).filter(i -> i % 6 == 0).toArray();
          DenseMatrix z = Samples.logits(arena, n, classes, 30f);
          float[][] before = z.toArray();
          double loss;
          try (Workers workers = new Workers(2)) {
            loss = ClassLoss.CROSS_ENTROPY.andGradient(z, labels, rows, workers);
          }
          double expected = 0;
          for (int i = 0; i < n; i++) {
            double[] p = Samples.probabilities(before[i]);
            if (i % 6 == 0) {
              expected -= Math.log(p[labels[i]]) / rows.length;
            }
            for (int c = 0; c < classes; c++) {
              double g = (p[c] - (c == labels[i] ? 1 : 0)) / rows.length;
              double tolerance = (classes + 8) * 0x1p-23 / rows.length;
              assertThat((double) z.get(i, c))
                  .isCloseTo(i % 6 == 0 ? g : 0, within(i % 6 == 0 ? tolerance : 0));
            }
          }
          assertThat(loss).isCloseTo(expected, within((classes + 8) * 0x1p-22));
        });
  }

  @Test
  void weighsTheLossOfEachRow() {
    int n = 2500;
    int classes = 5;
    Random random = new Random(3);
    int[] labels = IntStream.range(0, n).map(i -> i % 4 == 0 ? -1 : random.nextInt(5)).toArray();
    float[] weights = new float[n];
    for (int i = 0; i < n; i++) {
      weights[i] = i % 4 == 0 || i % 7 == 0 ? 0 : random.nextFloat();
    }
    DenseMatrix z = Samples.logits(arena, n, classes, 10f);
    float[][] before = z.toArray();
    double loss;
    try (Workers workers = new Workers(2)) {
      loss = ClassLoss.CROSS_ENTROPY.weightedAndGradient(z, labels, weights, workers);
    }
    double expected = 0;
    for (int i = 0; i < n; i++) {
      double[] p = Samples.probabilities(before[i]);
      expected -= weights[i] == 0 ? 0 : weights[i] * Math.log(p[labels[i]]);
      for (int c = 0; c < classes; c++) {
        double g = weights[i] * (p[c] - (c == labels[i] ? 1 : 0));
        assertThat((double) z.get(i, c)).isCloseTo(g, within((classes + 8) * 0x1p-23));
      }
    }
    assertThat(loss).isCloseTo(expected, within(n * (classes + 8) * 0x1p-22));
  }

  @Test
  void aWeightNeedsALabelAndARow() {
    DenseMatrix z = DenseMatrix.allocate(arena, 2, 3);
    try (Workers workers = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              ClassLoss.CROSS_ENTROPY.weightedAndGradient(
                  z, new int[] {1, -1}, new float[] {1, 1}, workers))
          .withMessage("class loss: row 1 has label -1; expected 0..2");
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              ClassLoss.CROSS_ENTROPY.weightedAndGradient(
                  z, new int[] {1, 2}, new float[] {1}, workers))
          .withMessage("loss: outputs are 2 x 3 but there are 1 weights");
    }
  }

  /// Central differences of the float64 loss; the gradient is stored in float32.
  @Test
  void gradientMatchesFiniteDifferences() {
    float[][] values = {{0.5f, -1f, 2f}, {0.1f, 0.2f, -0.3f}};
    int[] labels = {2, 0};
    DenseMatrix z = DenseMatrix.of(arena, values);
    try (Workers workers = new Workers(1)) {
      ClassLoss.CROSS_ENTROPY.andGradient(z, labels, new int[] {0, 1}, workers);
    }
    float h = 0x1p-10f;
    for (int i = 0; i < 2; i++) {
      for (int c = 0; c < 3; c++) {
        float kept = values[i][c];
        values[i][c] = kept + h;
        double above = -Math.log(Samples.probabilities(values[i])[labels[i]]);
        values[i][c] = kept - h;
        double below = -Math.log(Samples.probabilities(values[i])[labels[i]]);
        values[i][c] = kept;
        assertThat((double) z.get(i, c)).isCloseTo((above - below) / (4 * h), within(1e-5));
      }
    }
  }

  @Test
  void staysFiniteForExtremeLogits() {
    DenseMatrix z = DenseMatrix.of(arena, new float[][] {{1e30f, -1e30f, 0}, {-3e38f, 3e38f, 0}});
    double loss;
    try (Workers workers = new Workers(1)) {
      loss = ClassLoss.CROSS_ENTROPY.andGradient(z, new int[] {0, 1}, new int[] {0, 1}, workers);
    }
    assertThat(loss).isZero();
    assertThat(z.toArray()).isDeepEqualTo(new float[2][3]);
  }

  @Test
  void showsNotANumber() {
    DenseMatrix z = DenseMatrix.of(arena, new float[][] {{1, Float.NaN, 0}, {1, 2, 3}});
    try (Workers workers = new Workers(1)) {
      assertThat(ClassLoss.CROSS_ENTROPY.andGradient(z, new int[] {0, 1}, new int[] {0}, workers))
          .isNaN();
    }
    assertThat(z.get(0, 0)).isNaN();
    assertThat(z.get(1, 0)).isZero();
  }

  @Test
  void givesTheSameBitsOnAnyNumberOfThreads() {
    int[] labels = IntStream.range(0, 5000).map(i -> i % 7).toArray();
    int[] rows = IntStream.range(0, 5000).filter(i -> i % 2 == 1).toArray();
    DenseMatrix first = Samples.logits(arena, 5000, 7, 5f);
    DenseMatrix second = Samples.logits(arena, 5000, 7, 5f);
    try (Workers one = new Workers(1);
        Workers three = new Workers(3)) {
      assertThat(ClassLoss.CROSS_ENTROPY.andGradient(second, labels, rows, three))
          .isEqualTo(ClassLoss.CROSS_ENTROPY.andGradient(first, labels, rows, one));
    }
    assertThat(second.toArray()).isDeepEqualTo(first.toArray());
  }

  @Test
  void namesTheRowThatCannotBeTrainedOn() {
    DenseMatrix z = DenseMatrix.allocate(arena, 3, 2);
    try (Workers w = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> ClassLoss.CROSS_ENTROPY.andGradient(z, new int[] {0, 2, -1}, new int[] {1}, w))
          .withMessage("class loss: row 1 has label 2; expected 0..1");
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              ClassLoss.CROSS_ENTROPY.andGradient(z, new int[] {0, 1, 1}, new int[] {1, 1}, w))
          .withMessageContaining("row 1 follows row 1; rows must ascend");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ClassLoss.CROSS_ENTROPY.andGradient(z, new int[2], new int[0], w))
          .withMessage("class loss: logits are 3 x 2 but there are 2 labels");
    }
  }

  @Test
  void withoutRowsTheLossIsZero() {
    DenseMatrix z = Samples.logits(arena, 3, 2, 1f);
    try (Workers workers = new Workers(1)) {
      assertThat(ClassLoss.CROSS_ENTROPY.andGradient(z, new int[3], new int[0], workers)).isZero();
    }
    assertThat(z.toArray()).isDeepEqualTo(new float[3][2]);
  }

  /// The loss of a row in float64, straight from its definition.
  private static double loss(float[] z, int label, double smoothing, double focus, float[] w) {
    double[] p = Samples.probabilities(z);
    double sum = 0;
    for (int c = 0; c < z.length; c++) {
      double q = (c == label ? 1 - smoothing : 0) + smoothing / z.length;
      sum -= q * Math.log(p[c]);
    }
    return w[label] * Math.pow(1 - p[label], focus) * sum;
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0.1, 0", "0.75, 0", "0, 0.5", "0, 1", "0, 2", "0, 5"})
  void changesOfCrossEntropyHaveTheirLossAndItsGradient(double smoothing, double focus) {
    float[] classWeights = {1, 0.25f, 3, 0};
    ClassLoss changed =
        (focus > 0 ? ClassLoss.focal(focus) : ClassLoss.smoothed(smoothing))
            .withClassWeights(classWeights);
    int n = 40;
    int[] labels = IntStream.range(0, n).map(i -> i % 4).toArray();
    int[] rows = IntStream.range(0, n).filter(i -> i % 5 != 0).toArray();
    DenseMatrix z = Samples.logits(arena, n, 4, 4f);
    float[][] before = z.toArray();
    double found;
    try (Workers workers = new Workers(2)) {
      found = changed.andGradient(z, labels, rows, workers);
    }
    double expected = 0;
    float h = 0x1p-9f;
    for (int i : rows) {
      double each = loss(before[i], labels[i], smoothing, focus, classWeights);
      expected += each / rows.length;
      for (int c = 0; c < 4; c++) {
        float kept = before[i][c];
        before[i][c] = kept + h;
        double above = loss(before[i], labels[i], smoothing, focus, classWeights);
        before[i][c] = kept - h;
        double below = loss(before[i], labels[i], smoothing, focus, classWeights);
        before[i][c] = kept;
        // The third derivative is below 100 here, and h^2 / 6 of it remains.
        assertThat((double) z.get(i, c) * rows.length)
            .isCloseTo((above - below) / (2 * h), within(1e-4));
      }
    }
    assertThat(found).isCloseTo(expected, within(1e-5));
  }

  @Test
  void whatIsCertainHasNoFocalLoss() {
    DenseMatrix z = DenseMatrix.of(arena, new float[][] {{300, 0, 0}, {0, 300, 0}});
    try (Workers workers = new Workers(1)) {
      int[] all = {0, 1};
      assertThat(ClassLoss.focal(0.5).andGradient(z, new int[] {0, 1}, all, workers)).isZero();
    }
    assertThat(z.toArray()).isDeepEqualTo(new float[2][3]);
  }

  @Test
  void refusesWhatIsNoLoss() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassLoss.smoothed(1))
        .withMessage("label smoothing: expected a number in [0, 1), found 1.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassLoss.focal(Double.NaN))
        .withMessage("focal loss: expected a number that is not negative, found NaN");
    ClassLoss two = ClassLoss.CROSS_ENTROPY.withClassWeights(1, 2);
    try (Workers w = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              two.andGradient(DenseMatrix.allocate(arena, 1, 3), new int[1], new int[] {0}, w))
          .withMessage("class loss: logits are 1 x 3 but there are weights of 2 classes");
    }
  }
}
