package dev.gossamer.pruned;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/// Continues a text with a language model, token by token: each is drawn from the softmax of the
/// logits behind the ones before it. Every token takes a forward pass over as many positions as the
/// model sees at once.
final class TextGenerator {
  /// Stream of the draws.
  private static final int STREAM = 0x7e47;

  private final TrainedNetwork network;

  /// @param network a language model
  TextGenerator(TrainedNetwork network) {
    this.network = network;
  }

  /// Continues a text.
  ///
  /// @param start at least one token
  /// @return the added tokens
  int[] continued(int[] start, GenerationSettings settings) {
    int[] text = Arrays.copyOf(start, start.length + settings.count());
    for (int i = start.length; i < text.length; i++) {
      int window = Math.min(i, network.network().input().positions());
      DenseMatrix logits = forward(text, i - window, window);
      double at = Philox.keyed(settings.seed(), STREAM, i).low(0, 0, 0, 0) >>> 11;
      text[i] = draw(logits, window - 1, settings, at * 0x1p-53);
    }
    return Arrays.copyOfRange(text, start.length, text.length);
  }

  private DenseMatrix forward(int[] text, int from, int window) {
    DenseMatrix input = network.input();
    input.fill(0);
    for (int i = 0; i < window; i++) {
      input.set(i, 0, text[from + i]);
    }
    return network.forward(1);
  }

  private static int draw(
      DenseMatrix logits, int row, GenerationSettings settings, double uniform) {
    int classes = logits.cols();
    Integer[] order =
        IntStream.range(0, classes)
            .boxed()
            .sorted(Comparator.comparingDouble((Integer c) -> -logits.get(row, c)))
            .toArray(Integer[]::new);
    if (settings.temperature() == 0) {
      return order[0];
    }
    int among = settings.topK() == 0 ? classes : Math.min(settings.topK(), classes);
    double highest = logits.get(row, order[0]);
    double[] sums = new double[among];
    double sum = 0;
    for (int i = 0; i < among; i++) {
      sum += Math.exp((logits.get(row, order[i]) - highest) / settings.temperature());
      sums[i] = sum;
    }
    int place = 0;
    while (place < among - 1 && sums[place] <= uniform * sum) {
      place++;
    }
    return order[place];
  }
}
