package dev.gossamer.pruned;

import dev.gossamer.base.Resources;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.layers.CrossEntropy;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.layers.Microbatch;
import dev.gossamer.pruned.layers.Pass;
import dev.gossamer.pruned.layers.Shape;
import dev.gossamer.pruned.layers.Statistics;
import dev.gossamer.pruned.pipeline.NetworkTensors;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.run.Confusion;
import java.lang.foreign.Arena;
import java.util.function.LongConsumer;

/// A trained network, in float32 on one rank, for forward passes.
///
/// Memory: four bytes per parameter twice (the state has room for gradients), or per surviving
/// parameter twice and an index, and the activations of a forward pass of the largest number of
/// samples.
final class TrainedNetwork implements AutoCloseable {
  private final Arena arena;
  private final LayerNetwork network;
  private final ModelState state;
  private final Statistics statistics;
  private final Kernels kernels;
  private final int mostSamples;
  private final DenseMatrix input;
  private final DenseMatrix kept;

  private TrainedNetwork(Arena arena, NetworkTensors tensors, int mostSamples, Workers workers) {
    this.arena = arena;
    this.mostSamples = mostSamples;
    network = tensors.network();
    state = tensors.state(arena, workers);
    statistics = new Statistics(arena, network.statistics());
    for (ParameterLayout.Entry entry : statistics.layout().entries()) {
      statistics.running(entry.name()).copyFrom(tensors.values(entry.name()));
    }
    kernels = new Kernels(workers, Matmul.java());
    Shape shape = network.input();
    input = DenseMatrix.allocate(arena, (long) shape.positions() * mostSamples, shape.channels());
    kept = DenseMatrix.allocate(arena, network.whole().keptElements(mostSamples), 1);
  }

  /// Allocates memory for a network and copies its tensors.
  ///
  /// @param mostSamples of one forward pass
  /// @param workers borrowed
  static TrainedNetwork open(NetworkTensors tensors, int mostSamples, Workers workers) {
    return Resources.handedOver(
        Arena.ofShared(), arena -> new TrainedNetwork(arena, tensors, mostSamples, workers));
  }

  /// The logits of the first samples of the input, borrowed until the next pass.
  private DenseMatrix forward(int samples) {
    Pass pass = new Pass(state, statistics, kernels, Microbatch.evaluation(samples, 0));
    DenseMatrix first = input.rows(0, (long) samples * network.input().positions());
    return network.whole().forward(first, kept, pass);
  }

  /// Scores the network on a part of a corpus.
  ///
  /// @param most maximum number of samples
  /// @param progress notified of the samples that are done
  PrunedEvaluation evaluate(Corpus corpus, Part part, long most, LongConsumer progress) {
    long samples = Math.min(corpus.size(part), most);
    long[] ids = new long[mostSamples];
    double loss = 0;
    double right = 0;
    long labelled = 0;
    TextCount text = corpus instanceof TextCorpus texts ? new TextCount(texts.tokenizer()) : null;
    Confusion counts = text == null ? new Confusion(corpus.classes()) : null;
    for (long begin = 0; begin < samples; begin += mostSamples) {
      int count = (int) Math.min(mostSamples, samples - begin);
      corpus.evaluationSamples(part, begin, count, ids);
      int[] labels = new int[count * corpus.labelsPerSample()];
      corpus.load(part, ids, count, input, labels);
      if (text != null) {
        // Windows follow each other, and so do their labels.
        text.add(labels);
      }
      CrossEntropy.Evaluation found =
          CrossEntropy.evaluate(forward(count), labels, kernels.workers());
      loss += found.loss();
      right += (double) found.right();
      labelled += found.rows();
      for (int i = 0; i < labels.length && counts != null; i++) {
        counts.add(labels[i], found.predicted()[i]);
      }
      progress.accept(begin + count);
    }
    Score score = Score.of(labelled, loss, right);
    return new PrunedEvaluation(text == null ? score : score.withText(text.text()), counts);
  }

  @Override
  public void close() {
    arena.close();
  }
}
