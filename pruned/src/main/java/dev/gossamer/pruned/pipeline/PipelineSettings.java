package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;

/// Settings of an iteration on a grid.
///
/// @param grid stages and replicas
/// @param batches division of the iteration
/// @param seed of weights, samples and dropout
public record PipelineSettings(RankGrid grid, BatchSettings batches, long seed) {
  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if replicas cannot share the batch, or there is no microbatch
  ///   for each stage
  public PipelineSettings {
    if (!divides(batches, grid)) {
      throw new InvalidSettingException(
          "{batch}: expected a multiple of %d replicas x %d samples per microbatch, found %d"
              .formatted(grid.data(), batches.microbatch(), batches.batch()));
    }
    if (batches.inFlight() != null && batches.inFlight() < grid.inter()) {
      throw new InvalidSettingException(
          "{inFlight}: expected at least %d, one microbatch for each stage, found %d"
              .formatted(grid.inter(), batches.inFlight()));
    }
  }

  private static boolean divides(BatchSettings batches, RankGrid grid) {
    return batches.batch() % ((long) grid.data() * batches.microbatch()) == 0;
  }

  /// {@return the samples of an iteration, over all replicas}
  public int batch() {
    return batches.batch();
  }

  /// {@return the samples that a stage processes at a time}
  public int microbatch() {
    return batches.microbatch();
  }

  /// {@return the maximum number of microbatches of a replica in flight}
  public int inFlight() {
    return batches.inFlight() == null ? usualInFlight(grid) : batches.inFlight();
  }

  /// {@return the number of microbatches of one replica in an iteration}
  public int microbatches() {
    return batch() / grid.data() / microbatch();
  }

  /// Microbatches whose backward pass is still to come at a stage, at most.
  int slots(int stage) {
    return Math.min(microbatches(), inFlight() - stage);
  }

  /// Whether the replicas of a grid can share the batch.
  boolean dividesOn(RankGrid other) {
    return divides(batches, other);
  }

  /// {@return the default number of microbatches in flight: two for each stage} With one, a late
  /// stage stalls its neighbours; with two, they can continue. A single stage needs only one.
  ///
  /// @param grid stages and replicas
  public static int usualInFlight(RankGrid grid) {
    return grid.inter() == 1 ? 1 : 2 * grid.inter();
  }

  /// {@return a copy on another grid, with at least a microbatch in flight for each stage}
  ///
  /// @param other stages and replicas
  /// @throws InvalidSettingException if its replicas cannot share the batch
  public PipelineSettings on(RankGrid other) {
    Integer most = batches.inFlight();
    return new PipelineSettings(
        other, most == null ? batches : batches.withInFlight(Math.max(most, other.inter())), seed);
  }
}
