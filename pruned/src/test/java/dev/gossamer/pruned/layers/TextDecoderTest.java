package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Reading a text token by token against the forward pass over all positions of a window.
class TextDecoderTest {
  private static final int VOCABULARY = 61;
  private static final int LENGTH = 12;
  private static final GptSettings SIZES =
      new GptSettings(VOCABULARY, LENGTH, 3, 2, 34, 0.1f, false);

  /// A network with weights large enough that each matters, and what survives of it.
  private static Mask weights(LayerRun run, double sparsity) {
    run.randomParameters(1);
    ParameterLayout layout = run.state.layout();
    Random random = new Random(2);
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry entry : layout.where(Mask::prunable).entries()) {
      BitSet bits = new BitSet();
      for (int i = 0; i < entry.count(); i++) {
        bits.set(i, random.nextDouble() >= sparsity);
      }
      kept.put(entry.name(), bits);
    }
    Mask mask = sparsity == 0 ? Mask.whole(layout) : new Mask(layout, kept);
    mask.apply(run.state.weights());
    return mask;
  }

  private static Function<String, MemorySegment> values(LayerRun run) {
    return name -> run.state.layout().entry(name).of(run.state.weights());
  }

  /// The logits behind a text of at most as many tokens as the network sees.
  private static float[] expected(LayerRun run, int[] text) {
    for (int i = 0; i < LENGTH; i++) {
      run.x.set(i, 0, i < text.length ? text[i] : 0);
    }
    DenseMatrix logits = run.forward(0, false);
    return row(logits, text.length - 1);
  }

  private static float[] row(DenseMatrix x, int row) {
    float[] values = new float[x.cols()];
    for (int j = 0; j < values.length; j++) {
      values[j] = x.get(row, j);
    }
    return values;
  }

  /// On its way to the logits a token goes through two sums a layer and the head, each of at most
  /// `n = 4 d + T` terms, which errs by about `sqrt(n)` half units in the last place; normalisation
  /// multiplies no error with more than its own relative size, and errors add. Both sides err.
  private static double tolerance(float[] logits) {
    double largest = 0;
    for (float logit : logits) {
      largest = Math.max(largest, Math.abs(logit));
    }
    int sums = 2 * SIZES.layers() + 1;
    return 8 * 2 * sums * Math.sqrt(4 * SIZES.width() + LENGTH) * 0x1p-24 * largest;
  }

  @ParameterizedTest
  @CsvSource({"0, false", "0, true", "0.3, false", "0.9, false", "0.9, true"})
  void logitsAreThoseOfTheWholeWindow(double sparsity, boolean tied) {
    LayerNetwork network = Gpt.of("gpt", SIZES.withTiedHead(tied), 0);
    int[] text = new Random(3).ints(3 * LENGTH, 0, VOCABULARY).toArray();
    try (LayerRun run = new LayerRun(network.whole(), 1, 1);
        Workers three = new Workers(3)) {
      Mask mask = weights(run, sparsity);
      try (TextDecoder one = new TextDecoder(network, values(run), mask, run.workers());
          TextDecoder more = new TextDecoder(network, values(run), mask, three)) {
        int read = 0;
        for (int tokens : new int[] {5, 1, 1, 3}) {
          int[] next = IntStream.range(read, read + tokens).map(i -> text[i]).toArray();
          float[] logits = row(one.append(next), 0);
          read += tokens;
          assertThat(row(more.append(next), 0)).isEqualTo(logits);
          assertThat(one.window()).isEqualTo(IntStream.range(0, read).map(i -> text[i]).toArray());
          compare(logits, expected(run, one.window()));
        }
        // Past the end of the window, which moves by half of its length whenever it is full.
        for (; read < text.length; read++) {
          float[] logits = row(one.append(text[read]), 0);
          int[] window = one.window();
          assertThat(window).hasSizeBetween(LENGTH / 2, LENGTH);
          int from = read + 1 - window.length;
          assertThat(window).isEqualTo(IntStream.range(from, read + 1).map(i -> text[i]).toArray());
          compare(logits, expected(run, window));
        }
      }
    }
  }

  private static void compare(float[] logits, float[] expected) {
    double tolerance = tolerance(expected);
    for (int j = 0; j < expected.length; j++) {
      assertThat(Math.abs(logits[j] - expected[j])).as("token %d", j).isLessThan((float) tolerance);
    }
  }

  @ParameterizedTest
  @CsvSource({"40, 12", "12, 12", "1, 1"})
  void aTextThatIsTooLongIsReadFromItsEnd(int tokens, int seen) {
    LayerNetwork network = Gpt.of("gpt", SIZES, 0);
    int[] text = new Random(4).ints(tokens, 0, VOCABULARY).toArray();
    try (LayerRun run = new LayerRun(network.whole(), 1, 2)) {
      Mask mask = weights(run, 0);
      try (TextDecoder decoder = new TextDecoder(network, values(run), mask, run.workers())) {
        float[] logits = row(decoder.append(text), 0);
        assertThat(decoder.window()).hasSize(seen);
        compare(logits, expected(run, decoder.window()));
      }
    }
  }

  @Test
  void whatIsNoTextIsRefused() {
    LayerNetwork network = Gpt.of("gpt", SIZES, 0);
    LayerNetwork images = Vgg.of("vgg", VggSettings.named("vgg-mnist"), 0);
    try (LayerRun run = new LayerRun(network.whole(), 1, 1)) {
      Mask mask = weights(run, 0);
      try (TextDecoder decoder = new TextDecoder(network, values(run), mask, run.workers())) {
        assertThatIllegalArgumentException()
            .isThrownBy(decoder::append)
            .withMessage("text: expected at least one token");
        assertThatIllegalArgumentException()
            .isThrownBy(() -> decoder.append(3, VOCABULARY))
            .withMessage("text: token 1: expected 0..60, found 61");
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new TextDecoder(images, values(run), mask, run.workers()))
          .withMessageStartingWith("text: expected layers of texts, found Convolution");
    }
  }
}
