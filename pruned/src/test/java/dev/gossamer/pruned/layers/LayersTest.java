package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.pruned.layers.Convolution.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What layers do besides following their formulas: blocks, statistics, random numbers, refusals.
class LayersTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private static void fill(DenseMatrix x, long seed) {
    Random random = new Random(seed);
    for (long i = 0; i < x.rows() * x.cols(); i++) {
      x.data().setAtIndex(FLOAT, i, 2 * random.nextFloat() - 1);
    }
  }

  private static double[][] copy(DenseMatrix x) {
    double[][] copy = new double[(int) x.rows()][x.cols()];
    for (int i = 0; i < copy.length; i++) {
      for (int j = 0; j < x.cols(); j++) {
        copy[i][j] = x.get(i, j);
      }
    }
    return copy;
  }

  @Test
  void convolvesInSeveralBlocks() {
    int size = 20;
    int channels = 128;
    int samples = 3;
    Convolution layer =
        Convolution.biased("c", new Shape(size, size, channels), 3, new Kernel(3, 1, 1));
    try (LayerRun run = new LayerRun(layer, samples, 2)) {
      // Forward the memory has room for 256 rows of 1200, and backward for 1024.
      assertThat(layer.keptElements(samples)).isLessThan(300L * 9 * channels);
      assertThat(layer.workElements(samples)).isLessThan(1100L * 9 * channels);
      run.randomParameters(1);
      fill(run.x, 2);
      fill(run.t, 3);
      Reference reference = new Reference(run.state.layout(), run.state.weights());
      Reference.Step step = reference.convolution("c", size, 3);
      // Sums of numbers below 1, whose rounding errors go up to half an ulp of the sum each but
      // cancel as a random walk does.
      compare(run.forward(true), step.forward(copy(run.x)), Math.sqrt(9.0 * channels) * 0x1p-18);
      double[][] g = step.backward(copy(run.t));
      run.backward();
      compare(run.g, g, 0x1p-18 * 3);
      double[] weight = reference.gradient("c.weight");
      for (int i = 0; i < weight.length; i++) {
        assertThat((double) run.state.gradients().getAtIndex(FLOAT, i))
            .isCloseTo(weight[i], within(Math.sqrt(1200.0) * 0x1p-18));
      }
    }
  }

  private static void compare(DenseMatrix actual, double[][] expected, double tolerance) {
    double largest = 0;
    for (int i = 0; i < expected.length; i++) {
      for (int j = 0; j < expected[i].length; j++) {
        largest = Math.max(largest, Math.abs(actual.get(i, j) - expected[i][j]));
      }
    }
    assertThat(largest).isLessThanOrEqualTo(tolerance);
  }

  @Test
  void evaluationNormalisesByTheMeanOfTheMicrobatches() {
    Shape shape = new Shape(3, 2, 2);
    try (LayerRun run = new LayerRun(new BatchNorm("n", shape), 4, 1)) {
      run.randomParameters(1);
      double[] means = new double[2];
      double[] variances = new double[2];
      for (int microbatch = 0; microbatch < 2; microbatch++) {
        fill(run.x, microbatch);
        fill(run.t, 5);
        run.forward(true);
        // A second time, as checkpointing of activations does.
        run.forward(true);
        run.backward();
        for (int c = 0; c < 2; c++) {
          double mean = 0;
          double square = 0;
          for (int i = 0; i < 24; i++) {
            mean += run.x.get(i, c) / 24;
            square += Math.pow(run.x.get(i, c), 2) / 24;
          }
          means[c] += mean / 2;
          variances[c] += (square - mean * mean) / 2;
        }
      }
      run.statistics.advance(2, 1);
      fill(run.x, 9);
      DenseMatrix y = run.forward(false);
      for (int i = 0; i < 24; i++) {
        for (int c = 0; c < 2; c++) {
          double hat = (run.x.get(i, c) - means[c]) / Math.sqrt(variances[c] + 1e-5);
          double gain = run.state.weights().getAtIndex(FLOAT, c);
          double bias = run.state.weights().getAtIndex(FLOAT, 2 + c);
          assertThat((double) y.get(i, c)).isCloseTo(gain * hat + bias, within(24 * 0x1p-22));
        }
      }
    }
  }

  @Test
  void dropoutDependsOnTheSampleAndNotOnTheMicrobatch() {
    Shape shape = new Shape(5, 1, 13);
    Layer layer = new DropoutLayer(shape, 1, 2, 0.5f);
    try (LayerRun whole = new LayerRun(layer, 6, 2);
        LayerRun part = new LayerRun(layer, 2, 1)) {
      whole.x.fill(1);
      part.x.fill(1);
      DenseMatrix all = whole.forward(0, true);
      for (int first = 0; first < 6; first += 2) {
        MemorySegment own = part.forward(first, true).data();
        DenseMatrix expected = all.rows(5L * first, 5L * (first + 2));
        assertThat(own.mismatch(expected.data())).isEqualTo(-1);
      }
      int dropped = 0;
      for (float[] row : all.toArray()) {
        for (float v : row) {
          assertThat(v).isIn(0f, 2f);
          dropped += v == 0 ? 1 : 0;
        }
      }
      // Of 390 elements, within four deviations of the half.
      assertThat(dropped).isBetween(195 - 40, 195 + 40);
      assertThat(whole.forward(0, false).data().mismatch(whole.x.data())).isEqualTo(-1);
    }
  }

  @Test
  void refusesTokensOutsideTheVocabulary() {
    try (LayerRun run = new LayerRun(new TokenEmbedding("e", 3, 4, 2, 1), 2, 1)) {
      run.x.set(4, 0, 4);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> run.forward(true))
          .withMessage("e: row 4 has token 4.0; expected 0..3");
      run.x.set(4, 0, 1.5f);
      assertThatIllegalArgumentException().isThrownBy(() -> run.forward(true));
    }
  }

  @Test
  void crossEntropySumsTheRowsWithALabel() {
    int classes = 7;
    int[] labels = {3, CrossEntropy.NO_LABEL, 0, 6};
    try (Arena arena = Arena.ofShared();
        Workers w = new Workers(2)) {
      DenseMatrix logits = DenseMatrix.allocate(arena, labels.length, classes);
      fill(logits, 1);
      logits.set(0, 3, 5);
      logits.set(1, 2, 5);
      double[][] z = copy(logits);
      double expected = 0;
      for (int i = 0; i < labels.length; i++) {
        double total = 0;
        for (double score : z[i]) {
          total += Math.exp(score);
        }
        for (int j = 0; j < classes; j++) {
          double p = Math.exp(z[i][j]) / total;
          boolean own = j == labels[i];
          expected -= own ? Math.log(p) : 0;
          z[i][j] = labels[i] < 0 ? 0 : 0.25 * (p - (own ? 1 : 0));
        }
      }
      DenseMatrix copy = DenseMatrix.allocate(arena, labels.length, classes);
      copy.copyFrom(logits);
      CrossEntropy.Evaluation evaluation = CrossEntropy.evaluate(copy, labels, w);
      assertThat(evaluation.rows()).isEqualTo(3);
      assertThat(evaluation.right()).isBetween(1L, 2L);
      assertThat(evaluation.loss()).isCloseTo(expected, within(classes * 0x1p-22));
      double loss = CrossEntropy.lossAndGradient(logits, labels, 0.25f, w);
      assertThat(loss).isCloseTo(expected, within(classes * 0x1p-22));
      compare(logits, z, classes * 0x1p-24);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CrossEntropy.loss(logits, new int[] {3, 7, 0, 6}, w))
          .withMessageContaining("row 1 has label 7; expected 0..6");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CrossEntropy.lossAndGradient(logits, labels, 0, w))
          .withMessageContaining("positive scale");
    }
  }
}
