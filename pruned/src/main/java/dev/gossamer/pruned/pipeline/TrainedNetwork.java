package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.Safetensors;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.layers.CrossEntropy;
import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.pruned.layers.Pass;
import dev.gossamer.pruned.layers.Shape;
import dev.gossamer.pruned.layers.Statistics;
import dev.gossamer.run.RunFolder;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongConsumer;

/// The network that a finished run left, whole and in float32 on one rank, for forward passes.
///
/// Memory: four bytes a parameter twice (the state has room for gradients), and what a forward pass
/// of the largest number of samples leaves.
public final class TrainedNetwork implements AutoCloseable {
  private final Arena arena;
  private final DenseNetwork network;
  private final DenseState state;
  private final Statistics statistics;
  private final Kernels kernels;
  private final int mostSamples;
  private final DenseMatrix input;
  private final DenseMatrix kept;

  private TrainedNetwork(Arena arena, DenseNetwork network, int mostSamples, Workers workers) {
    this.arena = arena;
    this.network = network;
    this.mostSamples = mostSamples;
    state = new DenseState(arena, network.layout());
    statistics = new Statistics(arena, network.statistics());
    kernels = new Kernels(workers, Matmul.java());
    Shape shape = network.input();
    input = DenseMatrix.allocate(arena, (long) shape.positions() * mostSamples, shape.channels());
    kept = DenseMatrix.allocate(arena, network.whole().keptElements(mostSamples), 1);
  }

  /// Reads the model of a finished run.
  ///
  /// @param made the network that a model file describes
  /// @param mostSamples of one forward pass
  /// @throws InvalidInputException if there is none, or it has other parameters
  public static TrainedNetwork open(
      RunFolder folder,
      Function<Map<String, String>, DenseNetwork> made,
      int mostSamples,
      Workers workers) {
    Path file = folder.model();
    if (!Files.exists(file)) {
      throw new InvalidInputException(
          "%s: expected a trained model, found none; finish the run with: gossamer train-dense --resume %s"
              .formatted(file, folder.path()));
    }
    Arena arena = Arena.ofShared();
    try (Arena mapped = Arena.ofShared()) {
      Safetensors tensors = Safetensors.open(mapped, file);
      TrainedNetwork trained =
          new TrainedNetwork(arena, made.apply(tensors.metadata()), mostSamples, workers);
      tensors.copyTo(file, trained.state.layout(), trained.state.weights());
      tensors.copyTo(file, trained.statistics.layout(), trained.statistics.running());
      return trained;
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  public DenseNetwork network() {
    return network;
  }

  /// Where the input of the next forward pass belongs: `mostSamples` samples, one after the other.
  DenseMatrix input() {
    return input;
  }

  /// The logits of the first so many samples of [#input], borrowed until the next pass.
  DenseMatrix forward(int samples) {
    Pass pass = new Pass(state, statistics, kernels, samples, 0, 0, false);
    DenseMatrix first = input.rows(0, (long) samples * network.input().positions());
    return network.whole().forward(first, kept, pass);
  }

  /// How well the network does on a part of a corpus.
  ///
  /// @param most samples that are looked at, at most
  /// @param progress hears of the samples that are done
  public Score evaluate(Corpus corpus, Part part, long most, LongConsumer progress) {
    long samples = Math.min(corpus.size(part), most);
    long[] ids = new long[mostSamples];
    double loss = 0;
    double right = 0;
    long labelled = 0;
    for (long begin = 0; begin < samples; begin += mostSamples) {
      int count = (int) Math.min(mostSamples, samples - begin);
      corpus.evaluationSamples(part, begin, count, ids);
      int[] labels = new int[count * corpus.labelsPerSample()];
      corpus.load(part, ids, count, input, labels);
      CrossEntropy.Evaluation found =
          CrossEntropy.evaluate(forward(count), labels, kernels.workers());
      loss += found.loss();
      right += (double) found.right();
      labelled += found.rows();
      progress.accept(begin + count);
    }
    return Score.of(labelled, loss, right);
  }

  @Override
  public void close() {
    arena.close();
  }
}
