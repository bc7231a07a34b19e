package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/// A trained language model that goes on with a text, token by token: each is drawn from the
/// softmax of the logits behind the ones before it. Every token takes a forward pass over as many
/// positions as the model sees at once.
public final class TextGenerator {
  /// Stream of the draws.
  private static final int STREAM = 0x7e47;

  private final TrainedNetwork network;

  /// @param network a language model
  public TextGenerator(TrainedNetwork network) {
    this.network = network;
  }

  /// Goes on with a text.
  ///
  /// @param start at least one token
  /// @param count tokens to add
  /// @param temperature that logits are divided by; 0 for the likeliest token
  /// @param topK draws among so many likeliest; 0 for all
  /// @return the added tokens
  public int[] goOn(int[] start, int count, double temperature, int topK, long seed) {
    int[] text = Arrays.copyOf(start, start.length + count);
    for (int i = start.length; i < text.length; i++) {
      int window = Math.min(i, network.network().input().positions());
      DenseMatrix logits = forward(text, i - window, window);
      double at = Philox.keyed(seed, STREAM, i).low(0, 0, 0, 0) >>> 11;
      text[i] = draw(logits, window - 1, temperature, topK, at * 0x1p-53);
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
      DenseMatrix logits, int row, double temperature, int topK, double uniform) {
    int classes = logits.cols();
    Integer[] order =
        IntStream.range(0, classes)
            .boxed()
            .sorted(Comparator.comparingDouble((Integer c) -> -logits.get(row, c)))
            .toArray(Integer[]::new);
    if (temperature == 0) {
      return order[0];
    }
    int among = topK == 0 ? classes : Math.min(topK, classes);
    double highest = logits.get(row, order[0]);
    double[] sums = new double[among];
    double sum = 0;
    for (int i = 0; i < among; i++) {
      sum += Math.exp((logits.get(row, order[i]) - highest) / temperature);
      sums[i] = sum;
    }
    int place = 0;
    while (place < among - 1 && sums[place] <= uniform * sum) {
      place++;
    }
    return order[place];
  }
}
