package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.run.LaunchSettings;

/// All that decides what the training of a pruned network computes, and where. Start with
/// [#DEFAULT] and change what differs.
///
/// @param model the network
/// @param iterations how long it is trained, and what happens between iterations
/// @param optimizer how parameters follow their gradients
/// @param pruning when, how much, and what survives
/// @param storage in which form parameters and gradients are kept, and activations travel
/// @param batches how an iteration is divided
/// @param stages of the pipeline, or [#AUTOMATIC_STAGES]; the other ranks are replicas that share
///   the batch
/// @param ranks how many, and how they are connected
/// @param machine what may be used of it
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
  /// The fewest stages whose ranks stay within their memory, before and after pruning.
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

  /// {@return the same with another network}
  ///
  /// @param other the network
  public PrunedSettings withModel(ModelSettings other) {
    return new PrunedSettings(
        other, iterations, optimizer, pruning, storage, batches, stages, ranks, machine, seed);
  }

  /// {@return the same with other iterations}
  ///
  /// @param other how long training takes, and what happens between iterations
  public PrunedSettings withIterations(IterationSettings other) {
    return new PrunedSettings(
        model, other, optimizer, pruning, storage, batches, stages, ranks, machine, seed);
  }

  /// {@return the same with another optimizer}
  ///
  /// @param other how parameters follow their gradients
  public PrunedSettings withOptimizer(OptimizerSettings other) {
    return new PrunedSettings(
        model, iterations, other, pruning, storage, batches, stages, ranks, machine, seed);
  }

  /// {@return the same pruned otherwise}
  ///
  /// @param other when, how much, and what survives
  public PrunedSettings withPruning(PruningSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, other, storage, batches, stages, ranks, machine, seed);
  }

  /// {@return the same kept otherwise}
  ///
  /// @param other in which form parameters and gradients are kept
  public PrunedSettings withStorage(StorageSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, other, batches, stages, ranks, machine, seed);
  }

  /// {@return the same with iterations divided otherwise}
  ///
  /// @param other how an iteration is divided
  public PrunedSettings withBatches(BatchSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, other, stages, ranks, machine, seed);
  }

  /// {@return the same with another number of stages}
  ///
  /// @param other at least 1, or [#AUTOMATIC_STAGES]
  public PrunedSettings withStages(int other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, batches, other, ranks, machine, seed);
  }

  /// {@return the same with other ranks}
  ///
  /// @param other how many, and how they are connected
  public PrunedSettings withRanks(LaunchSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, batches, stages, other, machine, seed);
  }

  /// {@return the same with another share of the machine}
  ///
  /// @param other what may be used of it
  public PrunedSettings withMachine(PrunedMachineSettings other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, batches, stages, ranks, other, seed);
  }

  /// {@return the same with another seed}
  ///
  /// @param other of parameters, samples and dropout
  public PrunedSettings withSeed(long other) {
    return new PrunedSettings(
        model, iterations, optimizer, pruning, storage, batches, stages, ranks, machine, other);
  }
}
