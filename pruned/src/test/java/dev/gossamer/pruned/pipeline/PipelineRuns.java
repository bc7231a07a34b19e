package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.layers.Gpt;
import dev.gossamer.pruned.layers.GptSettings;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Runs of a tiny language model on a text of six words.
final class PipelineRuns {
  static final int LENGTH = 8;

  /// More than there are bytes: the survivors of the head lie in two panels of sparse products, in
  /// another order than that of their positions.
  private static final int VOCABULARY = 300;

  static final int ITERATIONS = 6;

  private PipelineRuns() {}

  /// What is trained on which grid.
  record Case(
      RankGrid grid,
      int inFlight,
      boolean checkpoint,
      NumberFormat format,
      IndexKind index,
      Pruning pruning,
      Criterion criterion,
      Products products,
      @Nullable NumberFormat activations) {
    static Case on(int inter, int data) {
      RankGrid grid = new RankGrid(inter, data);
      return new Case(
          grid,
          PipelineSettings.usualInFlight(grid),
          false,
          NumberFormat.FLOAT32,
          IndexKind.INT32,
          new Pruning.OneShot(2),
          Criterion.PER_LAYER,
          Products.DENSE,
          null);
    }

    Case with(NumberFormat other) {
      return new Case(
          grid, inFlight, checkpoint, other, index, pruning, criterion, products, activations);
    }

    Case with(IndexKind other) {
      return new Case(
          grid, inFlight, checkpoint, format, other, pruning, criterion, products, activations);
    }

    Case with(Pruning other) {
      return new Case(
          grid, inFlight, checkpoint, format, index, other, criterion, products, activations);
    }

    Case with(Criterion other) {
      return new Case(
          grid, inFlight, checkpoint, format, index, pruning, other, products, activations);
    }

    Case with(Products other) {
      return new Case(
          grid, inFlight, checkpoint, format, index, pruning, criterion, other, activations);
    }

    Case withInFlight(int other) {
      return new Case(
          grid, other, checkpoint, format, index, pruning, criterion, products, activations);
    }

    Case withCheckpointing() {
      return new Case(
          grid, inFlight, true, format, index, pruning, criterion, products, activations);
    }

    Case withActivations(@Nullable NumberFormat other) {
      return new Case(
          grid, inFlight, checkpoint, format, index, pruning, criterion, products, other);
    }

    PruningChoice choice() {
      return new PruningChoice(pruning, criterion, sparsity(), BlockShape.DEFAULT, null);
    }

    /// Heads and neurons are less than half of the network.
    double sparsity() {
      return criterion.isStructural() ? 0.2 : 0.8;
    }

    PipelineSettings settings() {
      BatchSettings batches =
          BatchSettings.DEFAULT
              .withBatch(8)
              .withMicrobatch(1)
              .withInFlight(inFlight)
              .withCheckpointActivations(checkpoint)
              .withBucketBytes(1 << 10);
      return new PipelineSettings(grid, batches, 7);
    }

    List<StagePart> parts() {
      return StagePart.all(
          Gpt.of("gpt", new GptSettings(VOCABULARY, LENGTH, 3, 2, 16, 0.1f, false), 7),
          settings(),
          new StateSettings(
              new StorageSettings(
                  format, products == Products.SPARSE ? null : index, null, products, activations),
              new OptimizerRule.AdamW(0.1),
              criterion == Criterion.BLOCKS,
              false));
    }
  }

  /// Collects losses, and stops the run after an iteration.
  private record StoppingListener(List<Double> losses, int stopAfter) implements IterationListener {
    @Override
    public void done(IterationRecord iteration) {
      losses.add(iteration.result().loss());
    }

    @Override
    public boolean stops() {
      return losses.size() + 1 == stopAfter;
    }
  }

  /// A text of words from a small vocabulary.
  static Path text(Path folder) throws IOException {
    Random random = new Random(5);
    String[] words = {"sparse", "dense", "rank", "stage", "mask", "loss"};
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 2000; i++) {
      text.append(words[random.nextInt(words.length)]).append(i % 9 == 8 ? '\n' : ' ');
    }
    return Files.writeString(folder.resolve("words.txt"), text);
  }

  /// What a run says: the losses of its iterations, and the validation loss at its end.
  static List<Double> losses(Communicator world, Path text, Path runs, Case what, int stopAfter) {
    List<Double> losses = new ArrayList<>();
    StagePart whole = what.parts().get(what.grid().stage(world.rank()));
    StagePart part = Beginning.part(whole, new RunFolder(runs));
    PruningChoice pruning = what.choice();
    try (Corpus corpus = Corpora.open(text, new Tokens.Bytes(), LENGTH, ReadingProgress.SILENT);
        Workers workers = new Workers(1);
        PipelineTrainer trainer =
            PipelineTrainer.open(
                world,
                part,
                Beginning.of(part, pruning, null, new RunFolder(runs)),
                corpus,
                RankEnvironment.of(workers))) {
      Pruner pruner = new Pruner(pruning, whole.network(), trainer);
      PipelineTraining training =
          new PipelineTraining(
              trainer,
              pruner,
              new PipelineTraining.Settings(
                  IterationSettings.DEFAULT
                      .withIterations(ITERATIONS)
                      .withEvaluateEvery(100)
                      .withEvaluateSamples(31),
                  new LearningRate.WarmupCosine(1e-2, 2, 100, 1e-3),
                  null),
              new RunFolder(runs),
              new StoppingListener(losses, world.rank() == 0 ? stopAfter : Integer.MAX_VALUE));
      PipelineTraining.Result result = training.run();
      if (result.validation() != null) {
        losses.add(result.validation().loss());
      }
    }
    return losses;
  }
}
