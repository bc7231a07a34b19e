package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.run.LaunchSettings;

/// All settings for training a pruned network. Start with [#DEFAULT] and change individual
/// settings.
///
/// @param model the network
/// @param iterations number of iterations, evaluations and checkpoints
/// @param optimizer optimizer and learning-rate schedule
/// @param pruning time, sparsity and criterion of pruning
/// @param storage formats of parameters, gradients and exchanged activations
/// @param batches division of an iteration
/// @param stages number of pipeline stages, or [#AUTOMATIC_STAGES]; the other ranks are replicas
///   that share the batch
/// @param ranks number of ranks, and how they are connected
/// @param machine limits on its resources
/// @param seed of parameters, samples and dropout
public record PrunedSettings(
    ModelSettings model,
    IterationSettings iterations,
    OptimizerSettings optimizer,
    PruningSettings pruning,
    StorageSettings storage,
    BatchSettings batches,
    int stages,
    LaunchSettings ranks,
    PrunedMachineSettings machine,
    long seed) {
  /// Selects the fewest stages that fit into the memory of the ranks, before and after pruning.
  public static final int AUTOMATIC_STAGES = 0;

  /// The defaults of all settings; one rank.
  public static final PrunedSettings DEFAULT =
      new PrunedSettings(
          ModelSettings.DEFAULT,
          IterationSettings.DEFAULT,
          OptimizerSettings.DEFAULT,
          PruningSettings.DEFAULT,
          StorageSettings.DEFAULT,
          BatchSettings.DEFAULT,
          1,
          LaunchSettings.DEFAULT,
          PrunedMachineSettings.DEFAULT,
          0);

  /// Checks the number of stages.
  ///
  /// @throws InvalidSettingException if it is negative
  public PrunedSettings {
    InvalidSettingException.requireAtLeast("stages", stages, AUTOMATIC_STAGES);
  }

  /// {@return whether the number of stages is chosen by memory}
  public boolean hasAutomaticStages() {
    return stages == AUTOMATIC_STAGES;
  }

  /// {@return a copy with another network}
  ///
  /// @param other the network
  public PrunedSettings withModel(ModelSettings other) {
    return new PrunedSettings(
        other, iterations, optimizer, pruning, storage, batches, stages, ranks, machine, seed);
  }

  /// {@return a copy with other iterations}
  ///
  /// @param other number of iterations, evaluations and checkpoints
  public PrunedSettings withIterations(IterationSettings other) {
    return new PrunedSettings(
        model, other, optimizer, pruning, storage, batches, stages, ranks, machine, seed);
  }

  /// {@return a copy with another optimizer}
  ///
  /// @param other optimizer and learning-rate schedule
  public PrunedSettings withOptimizer(OptimizerSettings other) {
    return new PrunedSettings(
        model, iterations, other, pruning, storage, batches, stages, ranks, machine, seed);
  }

  /// {@return a copy with other pruning settings}
  ///
  /// @param other time, sparsity and criterion of pruning
  public PrunedSettings withPruning(PruningSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, other, storage, batches, stages, ranks, machine, seed);
  }

  /// {@return a copy with other storage settings}
  ///
  /// @param other formats of parameters, gradients and exchanged activations
  public PrunedSettings withStorage(StorageSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, other, batches, stages, ranks, machine, seed);
  }

  /// {@return a copy with other batch settings}
  ///
  /// @param other division of an iteration
  public PrunedSettings withBatches(BatchSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, other, stages, ranks, machine, seed);
  }

  /// {@return a copy with another number of stages}
  ///
  /// @param other at least 1, or [#AUTOMATIC_STAGES]
  public PrunedSettings withStages(int other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, batches, other, ranks, machine, seed);
  }

  /// {@return a copy with other ranks}
  ///
  /// @param other number of ranks, and how they are connected
  public PrunedSettings withRanks(LaunchSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, batches, stages, other, machine, seed);
  }

  /// {@return a copy with other machine settings}
  ///
  /// @param other limits on its resources
  public PrunedSettings withMachine(PrunedMachineSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, batches, stages, ranks, other, seed);
  }

  /// {@return a copy with another seed}
  ///
  /// @param other of parameters, samples and dropout
  public PrunedSettings withSeed(long other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, batches, stages, ranks, machine, other);
  }
}
