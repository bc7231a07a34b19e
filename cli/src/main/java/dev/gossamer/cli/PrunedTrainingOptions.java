package dev.gossamer.cli;

import dev.gossamer.pruned.PrunedTraining;
import picocli.CommandLine.Mixin;

/// Flags that say what a pruned network is, what it learns from and how: those that training and
/// planning have in common.
final class PrunedTrainingOptions {
  @FlagGroup("Data:")
  @Mixin
  CorpusOptions data = new CorpusOptions();

  @FlagGroup(value = "Network:", sentence = "Sizes are those of the model unless given.")
  @Mixin
  PrunedModelOptions model = new PrunedModelOptions();

  @FlagGroup("Pruning:")
  @Mixin
  PruneOptions prune = new PruneOptions();

  @FlagGroup("Iterations:")
  @Mixin
  IterationOptions iterations = new IterationOptions();

  @FlagGroup("Optimizer:")
  @Mixin
  PrunedOptimizerOptions optimizer = new PrunedOptimizerOptions();

  @FlagGroup(
      value = "Storage:",
      sentence =
          "In which form parameters, gradients and the index of the survivors are kept, and activations travel.")
  @Mixin
  StorageOptions storage = new StorageOptions();

  @FlagGroup(
      value = "Batches and pipeline:",
      sentence = "Ranks form --inter stages of a pipeline, and replicas that share the batch.")
  @Mixin
  PipelineOptions pipeline = new PipelineOptions();

  /// What the flags say, on the ranks and the machine of nobody in particular.
  PrunedTraining training() {
    return pipeline.staged(
        model
            .started(data.training())
            .model(model.settings())
            .pruning(prune.settings())
            .iterations(iterations.settings())
            .optimizer(optimizer.settings())
            .storage(storage.settings())
            .batches(pipeline.batches())
            .seed(iterations.seed));
  }

  /// Makes paths independent of the working folder, for the run's `config.yaml`.
  void makeAbsolute() {
    data.makeAbsolute();
    model.makeAbsolute();
  }
}
