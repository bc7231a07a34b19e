package dev.gossamer.cli.pruned;

import dev.gossamer.cli.data.CorpusOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.pruned.CorpusSettings;
import dev.gossamer.pruned.PrunedMachineSettings;
import dev.gossamer.pruned.PrunedRun;
import dev.gossamer.pruned.PrunedSettings;
import dev.gossamer.run.LaunchSettings;
import picocli.CommandLine.Mixin;

/// Flags of network, data and training that `prune train` and `prune plan` share.
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
          "Formats of parameters, gradients, the index of the survivors, and activations in messages.")
  @Mixin
  StorageOptions storage = new StorageOptions();

  @FlagGroup(
      value = "Batches and pipeline:",
      sentence = "Ranks form --inter stages of a pipeline, and replicas that share the batch.")
  @Mixin
  PipelineOptions pipeline = new PipelineOptions();

  /// Returns the settings of the flags.
  ///
  /// @param ranks of the run
  /// @param machine threads, memory and matrix products
  PrunedRun run(LaunchSettings ranks, PrunedMachineSettings machine) {
    PrunedSettings training =
        new PrunedSettings(
            model.settings(),
            iterations.settings(),
            optimizer.settings(),
            prune.settings(),
            storage.settings(),
            pipeline.batches(),
            pipeline.stages(),
            ranks,
            machine,
            iterations.seed);
    return new PrunedRun(
        new CorpusSettings(data.data(), data.tokens(), model.from), training, prune.compare);
  }
}
