package dev.gossamer.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.kernel.Matmul;
import dev.gossamer.matrix.kernel.Philox;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.Safetensors;
import dev.gossamer.nn.dense.DenseNetwork;
import dev.gossamer.nn.dense.Pass;
import dev.gossamer.nn.dense.Sequence;
import dev.gossamer.nn.dense.Statistics;
import dev.gossamer.run.RunFolder;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/// A trained language model that goes on with a text, token by token: each is drawn from the
/// softmax of the logits behind the ones before it. Every token takes a forward pass over as many
/// positions as the model sees at once.
public final class TextGenerator implements AutoCloseable {
  /// Stream of the draws.
  private static final int STREAM = 0x7e47;

  private final Arena arena;
  private final Sequence network;
  private final Pass pass;
  private final DenseMatrix input;
  private final DenseMatrix kept;

  private TextGenerator(
      Arena arena, DenseNetwork network, DenseState state, Statistics statistics, Workers workers) {
    this.arena = arena;
    this.network = network.whole();
    pass = new Pass(state, statistics, new Kernels(workers, Matmul.java()), 1, 0, 0, false);
    input = DenseMatrix.allocate(arena, network.input().positions(), 1);
    kept = DenseMatrix.allocate(arena, this.network.keptElements(1), 1);
  }

  /// Reads the model of a finished run.
  ///
  /// @param made the network that a model file describes
  /// @throws InvalidInputException if there is none, or it is not a language model
  public static TextGenerator open(
      RunFolder folder, Function<Map<String, String>, DenseNetwork> made, Workers workers) {
    Path file = folder.model();
    if (!Files.exists(file)) {
      throw new InvalidInputException(
          "%s: expected a trained model, found none; finish the run with: gossamer train-dense --resume %s"
              .formatted(file, folder.path()));
    }
    Arena arena = Arena.ofShared();
    try (Arena mapped = Arena.ofShared()) {
      Safetensors tensors = Safetensors.open(mapped, file);
      DenseNetwork network = made.apply(tensors.metadata());
      ParameterLayout layout = network.layout();
      DenseState state = new DenseState(arena, layout);
      for (ParameterLayout.Entry entry : layout.entries()) {
        state
            .weight(entry.name())
            .data()
            .copyFrom(tensors.require(file, entry.name(), entry.count()).data());
      }
      Statistics statistics = new Statistics(arena, network.statistics());
      for (ParameterLayout.Entry entry : statistics.layout().entries()) {
        statistics
            .running(entry.name())
            .copyFrom(tensors.require(file, entry.name(), entry.count()).data());
      }
      return new TextGenerator(arena, network, state, statistics, workers);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
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
      int window = Math.min(i, network.input().positions());
      DenseMatrix logits = forward(text, i - window, window);
      double at = Philox.keyed(seed, STREAM, i).low(0, 0, 0, 0) >>> 11;
      text[i] = draw(logits, window - 1, temperature, topK, at * 0x1p-53);
    }
    return Arrays.copyOfRange(text, start.length, text.length);
  }

  private DenseMatrix forward(int[] text, int from, int window) {
    input.fill(0);
    for (int i = 0; i < window; i++) {
      input.set(i, 0, text[from + i]);
    }
    return network.forward(input, kept, pass);
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

  @Override
  public void close() {
    arena.close();
  }
}
