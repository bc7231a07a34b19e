package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.pruned.layers.Convolution.Kernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The backward pass of every layer against central differences of its forward pass, for the input
/// and each parameter. The loss is `sum t * y`, in float64.
class FiniteDifferencesTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// Half the distance of two points of a difference.
  private static final float STEP = 0x1p-6f;

  private static final int SAMPLES = 3;

  static Stream<Named<Layer>> layers() {
    Shape text = new Shape(5, 1, 6);
    Shape image = new Shape(5, 4, 2);
    return Stream.of(
        layer(Linear.biased("l", new Shape(2, 2, 5), 3, 1)),
        layer(Linear.unbiased("l", text, 7, 1)),
        layer(new Gelu(new Shape(3, 1, 7))),
        layer(new Relu(new Shape(3, 1, 7))),
        layer(new DropoutLayer(new Shape(3, 1, 7), 1, 2, 0.4f)),
        layer(new LayerNorm("n", new Shape(3, 1, 19))),
        layer(new CausalAttention("a", text, 2, 1, 1)),
        layer(new CausalAttention("a", new Shape(19, 1, 3), 1, 1, 1)),
        layer(new CausalAttention("a", new Shape(5, 1, 6), 2, 2, 1, 1)),
        layer(new Residual(Linear.biased("l", text, 6, 1))),
        layer(new Residual(Linear.biased("l", text, 4, 1), Linear.biased("s", text, 4, 1))),
        layer(
            Sequence.of(
                Linear.biased("a", text, 9, 1),
                new Gelu(text.withChannels(9)),
                Linear.biased("b", text.withChannels(9), 2, 1),
                new Gelu(text.withChannels(2)))),
        layer(Convolution.biased("c", image, 3, new Kernel(3, 1, 1))),
        layer(Convolution.unbiased("c", image, 5, new Kernel(3, 2, 1))),
        layer(Convolution.biased("c", image, 5, new Kernel(1, 1, 0))),
        layer(Convolution.biased("c", image, 5, new Kernel(1, 2, 0))),
        layer(Convolution.biased("c", new Shape(4, 6, 17), 2, new Kernel(2, 3, 0))),
        layer(new BatchNorm("n", image)),
        layer(new BatchNorm("n", new Shape(2, 2, 17))),
        layer(new MaxPool(image, 2, 2)),
        layer(new MaxPool(image, 3, 2, 1)),
        layer(new MaxPool(new Shape(4, 4, 17), 3, 1)),
        layer(new AveragePool(image, 2, 2)),
        layer(new AveragePool(image, 3, 1)),
        layer(AveragePool.global(new Shape(3, 5, 17))),
        layer(new Flatten(image)));
  }

  private static Named<Layer> layer(Layer layer) {
    return named(layer.toString(), layer);
  }

  @ParameterizedTest
  @MethodSource("layers")
  void gradientsAreSlopes(Layer layer) {
    try (LayerRun run = new LayerRun(layer, SAMPLES, 2)) {
      run.randomParameters(1);
      spread(run.x, 2);
      spread(run.t, 3);
      check(run, true);
    }
  }

  @ParameterizedTest
  @MethodSource("layers")
  void threadsDoNotChangeBits(Layer layer) {
    try (LayerRun one = new LayerRun(layer, SAMPLES, 1);
        LayerRun three = new LayerRun(layer, SAMPLES, 3)) {
      for (LayerRun run : new LayerRun[] {one, three}) {
        run.randomParameters(1);
        spread(run.x, 2);
        spread(run.t, 3);
      }
      DenseMatrix y = one.forward(true);
      assertThat(y.data().mismatch(three.forward(true).data())).isEqualTo(-1);
      one.backward();
      three.backward();
      assertThat(one.g.data().mismatch(three.g.data())).isEqualTo(-1);
      assertThat(one.state.gradients().mismatch(three.state.gradients())).isEqualTo(-1);
      MemorySegment before = three.state.gradients();
      three.backwardWithoutInput();
      for (long i = 0; i < one.state.layout().count(); i++) {
        // A first layer's gradients are the same; the second pass has added to the first.
        assertThat(before.getAtIndex(FLOAT, i))
            .isEqualTo(2 * one.state.gradients().getAtIndex(FLOAT, i));
      }
    }
  }

  @Test
  void embeddingGradientsAreSlopes() {
    TokenEmbedding embedding = new TokenEmbedding("e", 5, 4, 7, 1);
    try (LayerRun run = new LayerRun(embedding, SAMPLES, 2)) {
      run.randomParameters(1);
      Random random = new Random(4);
      for (long i = 0; i < run.x.rows(); i++) {
        run.x.set(i, 0, random.nextInt(3));
      }
      spread(run.t, 3);
      check(run, false);
      run.backward();
      assertThat(run.g.toArray()).isDeepEqualTo(new float[(int) run.x.rows()][1]);
    }
  }

  /// The table's gradient is that of the embedding and that of the head.
  @Test
  void gradientsOfATiedHeadAreSlopes() {
    TokenEmbedding embedding = new TokenEmbedding("e", 5, 4, 7, 1);
    Sequence tied =
        Sequence.of(
            embedding,
            new LayerNorm("n", embedding.output()),
            new TiedHead("e.tokens", embedding.output(), 4));
    try (LayerRun run = new LayerRun(tied, SAMPLES, 2)) {
      run.randomParameters(1);
      Random random = new Random(4);
      for (long i = 0; i < run.x.rows(); i++) {
        run.x.set(i, 0, random.nextInt(3));
      }
      spread(run.t, 3);
      check(run, false);
    }
  }

  /// Distinct numbers in a random order around 0, further apart than two steps and none within a
  /// step of 0: no difference reaches across a kink of a maximum.
  private static void spread(DenseMatrix x, long seed) {
    int count = Math.toIntExact(x.rows() * x.cols());
    int[] order = new Random(seed).ints(0, count).distinct().limit(count).toArray();
    for (int i = 0; i < count; i++) {
      float value = 2.5f * STEP * (order[i] - (count - 1) / 2 + 0.5f);
      x.data().setAtIndex(FLOAT, i, value);
    }
  }

  private static void check(LayerRun run, boolean input) {
    DenseMatrix y = run.forward(true);
    run.backward();
    // A difference errs by what rounding does to the outputs, about 16 operations of each, divided
    // by the step; and by a sixth of the square of the step times the third derivative, which is at
    // most about as large as the largest slope.
    double noise = 0;
    for (int i = 0; i < y.rows() * y.cols(); i++) {
      double part = (double) run.t.data().getAtIndex(FLOAT, i) * y.data().getAtIndex(FLOAT, i);
      noise += part * part;
    }
    double rounding = 16 * 0x1p-24 * Math.sqrt(noise) / STEP;
    if (input) {
      compare("input", run, run.x.data(), run.g.data(), rounding);
    }
    compare("parameters", run, run.state.weights(), run.state.gradients(), rounding);
  }

  private static void compare(
      String what, LayerRun run, MemorySegment values, MemorySegment gradient, double rounding) {
    long count = gradient.byteSize() / Float.BYTES;
    double largest = 0;
    for (long i = 0; i < count; i++) {
      largest = Math.max(largest, Math.abs(gradient.getAtIndex(FLOAT, i)));
    }
    for (long i = 0; i < count; i++) {
      float old = values.getAtIndex(FLOAT, i);
      values.setAtIndex(FLOAT, i, old + STEP);
      double above = loss(run);
      values.setAtIndex(FLOAT, i, old - STEP);
      double below = loss(run);
      values.setAtIndex(FLOAT, i, old);
      double slope = (above - below) / (2 * STEP);
      assertThat(Math.abs(gradient.getAtIndex(FLOAT, i) - slope))
          .as("%s, element %d: slope %s", what, i, slope)
          .isLessThan(rounding + 4 * STEP * STEP * largest);
    }
  }

  private static double loss(LayerRun run) {
    DenseMatrix y = run.forward(true);
    double sum = 0;
    for (long i = 0; i < y.rows() * y.cols(); i++) {
      sum += (double) run.t.data().getAtIndex(FLOAT, i) * y.data().getAtIndex(FLOAT, i);
    }
    return sum;
  }
}
