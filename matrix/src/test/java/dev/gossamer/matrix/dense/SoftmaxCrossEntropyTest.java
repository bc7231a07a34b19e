package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import jdk.incubator.vector.FloatVector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SoftmaxCrossEntropyTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  private static double[] probabilities(float[] z) {
    double max = Double.NEGATIVE_INFINITY;
    for (float v : z) {
      max = Math.max(max, v);
    }
    double sum = 0;
    double[] p = new double[z.length];
    for (int c = 0; c < z.length; c++) {
      p[c] = Math.exp(z[c] - max);
      sum += p[c];
    }
    for (int c = 0; c < z.length; c++) {
      p[c] /= sum;
    }
    return p;
  }

  /// Logits up to `range` in magnitude.
  private DenseMatrix logits(int n, int classes, float range) {
    DenseMatrix z = Samples.random(arena, n, classes, classes);
    for (int i = 0; i < n; i++) {
      for (int c = 0; c < classes; c++) {
        z.set(i, c, z.get(i, c) * range);
      }
    }
    return z;
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
          DenseMatrix z = logits(n, classes, 30f);
          float[][] before = z.toArray();
          double loss;
          try (Workers workers = new Workers(2)) {
            loss = SoftmaxCrossEntropy.lossAndGradient(z, labels, rows, workers);
          }
          double expected = 0;
          for (int i = 0; i < n; i++) {
            double[] p = probabilities(before[i]);
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
    DenseMatrix z = logits(n, classes, 10f);
    float[][] before = z.toArray();
    double loss;
    try (Workers workers = new Workers(2)) {
      loss = SoftmaxCrossEntropy.weightedLossAndGradient(z, labels, weights, workers);
    }
    double expected = 0;
    for (int i = 0; i < n; i++) {
      double[] p = probabilities(before[i]);
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
              SoftmaxCrossEntropy.weightedLossAndGradient(
                  z, new int[] {1, -1}, new float[] {1, 1}, workers))
          .withMessage("softmax cross entropy: row 1 has label -1; expected 0..2");
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              SoftmaxCrossEntropy.weightedLossAndGradient(
                  z, new int[] {1, 2}, new float[] {1}, workers))
          .withMessage("softmax cross entropy: 2 labels but 1 weights");
    }
  }

  /// Central differences of the float64 loss; the gradient is stored in float32.
  @Test
  void gradientMatchesFiniteDifferences() {
    float[][] values = {{0.5f, -1f, 2f}, {0.1f, 0.2f, -0.3f}};
    int[] labels = {2, 0};
    DenseMatrix z = DenseMatrix.of(arena, values);
    try (Workers workers = new Workers(1)) {
      SoftmaxCrossEntropy.lossAndGradient(z, labels, new int[] {0, 1}, workers);
    }
    float h = 0x1p-10f;
    for (int i = 0; i < 2; i++) {
      for (int c = 0; c < 3; c++) {
        float kept = values[i][c];
        values[i][c] = kept + h;
        double above = -Math.log(probabilities(values[i])[labels[i]]);
        values[i][c] = kept - h;
        double below = -Math.log(probabilities(values[i])[labels[i]]);
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
      loss = SoftmaxCrossEntropy.lossAndGradient(z, new int[] {0, 1}, new int[] {0, 1}, workers);
    }
    assertThat(loss).isZero();
    assertThat(z.toArray()).isDeepEqualTo(new float[2][3]);
  }

  @Test
  void showsNotANumber() {
    DenseMatrix z = DenseMatrix.of(arena, new float[][] {{1, Float.NaN, 0}, {1, 2, 3}});
    try (Workers workers = new Workers(1)) {
      assertThat(SoftmaxCrossEntropy.lossAndGradient(z, new int[] {0, 1}, new int[] {0}, workers))
          .isNaN();
    }
    assertThat(z.get(0, 0)).isNaN();
    assertThat(z.get(1, 0)).isZero();
  }

  @Test
  void givesTheSameBitsOnAnyNumberOfThreads() {
    int[] labels = IntStream.range(0, 5000).map(i -> i % 7).toArray();
    int[] rows = IntStream.range(0, 5000).filter(i -> i % 2 == 1).toArray();
    DenseMatrix first = logits(5000, 7, 5f);
    DenseMatrix second = logits(5000, 7, 5f);
    try (Workers one = new Workers(1);
        Workers three = new Workers(3)) {
      assertThat(SoftmaxCrossEntropy.lossAndGradient(second, labels, rows, three))
          .isEqualTo(SoftmaxCrossEntropy.lossAndGradient(first, labels, rows, one));
    }
    assertThat(second.toArray()).isDeepEqualTo(first.toArray());
  }

  @Test
  void turnsRowsIntoProbabilitiesAndClasses() {
    Samples.widths()
        .forEach(classes -> {
          DenseMatrix z = logits(100, classes, 20f);
          float[][] before = z.toArray();
          int[] best = new int[100];
          try (Workers workers = new Workers(2)) {
            SoftmaxCrossEntropy.argmax(z, best, workers);
            SoftmaxCrossEntropy.softmax(z, workers);
          }
          for (int i = 0; i < 100; i++) {
            double[] p = probabilities(before[i]);
            for (int c = 0; c < classes; c++) {
              assertThat((double) z.get(i, c))
                  .isCloseTo(p[c], within((classes + 8) * 0x1p-23 * p[c] + 1e-36));
              assertThat(before[i][best[i]]).isGreaterThanOrEqualTo(before[i][c]);
            }
          }
        });
  }

  /// Two units in the last place, over the whole range.
  @Test
  void exponentialIsAccurate() {
    int lanes = Samples.LANES;
    float[] x = new float[lanes];
    float[] y = new float[lanes];
    for (int block = 0; block < 4000; block++) {
      for (int l = 0; l < lanes; l++) {
        x[l] = -86f * (block * lanes + l) / (4000 * lanes);
      }
      SoftmaxCrossEntropy.exp(FloatVector.fromArray(FloatVector.SPECIES_PREFERRED, x, 0))
          .intoArray(y, 0);
      for (int l = 0; l < lanes; l++) {
        double exact = Math.exp(x[l]);
        if (!(Math.abs(y[l] - exact) <= 2 * Math.ulp((float) exact))) {
          assertThat((double) y[l]).as("exp(%s)", x[l]).isEqualTo(exact);
        }
      }
    }
    Arrays.fill(x, -87f);
    x[0] = Float.NEGATIVE_INFINITY;
    SoftmaxCrossEntropy.exp(FloatVector.fromArray(FloatVector.SPECIES_PREFERRED, x, 0))
        .intoArray(y, 0);
    assertThat(y).containsOnly(0f);
  }

  @Test
  void namesTheRowThatCannotBeTrainedOn() {
    DenseMatrix z = DenseMatrix.allocate(arena, 3, 2);
    try (Workers w = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> SoftmaxCrossEntropy.lossAndGradient(z, new int[] {0, 2, -1}, new int[] {1}, w))
          .withMessage("softmax cross entropy: row 1 has label 2; expected 0..1");
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              SoftmaxCrossEntropy.lossAndGradient(z, new int[] {0, 1, 1}, new int[] {1, 1}, w))
          .withMessageContaining("row 1 follows row 1; rows must ascend");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> SoftmaxCrossEntropy.lossAndGradient(z, new int[2], new int[0], w))
          .withMessage("softmax cross entropy: logits are 3 x 2 but there are 2 labels");
    }
  }

  @Test
  void withoutRowsTheLossIsZero() {
    DenseMatrix z = logits(3, 2, 1f);
    try (Workers workers = new Workers(1)) {
      assertThat(SoftmaxCrossEntropy.lossAndGradient(z, new int[3], new int[0], workers)).isZero();
    }
    assertThat(z.toArray()).isDeepEqualTo(new float[3][2]);
  }
}
