package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/// The division of an iteration into microbatches, and its memory, on any grid.
///
/// @param batch samples of an iteration, of all replicas
/// @param microbatch samples that a stage processes at a time; batch normalisation normalises them
///   together
/// @param inFlight maximum number of microbatches of a replica in flight; null for the default of
///   the grid, see [PipelineSettings#usualInFlight]. Each preceding stage holds one, so stage `s`
///   has room for `inFlight - s`
/// @param checkpointActivations whether activations are recomputed in the backward pass, which
///   takes less memory and more time
/// @param bucketBytes of gradients that are sent together
/// @param clip maximum norm of the gradient of all parameters; 0 for no limit
public record BatchSettings(
    int batch,
    int microbatch,
    @Nullable Integer inFlight,
    boolean checkpointActivations,
    long bucketBytes,
    double clip) {
  /// Samples of an iteration: an iteration of the smallest networks takes about a second on a small
  /// machine.
  public static final int DEFAULT_BATCH = 16;

  /// Samples of a microbatch: four microbatches fill a pipeline of two stages.
  public static final int DEFAULT_MICROBATCH = 4;

  /// Bytes of a bucket: large enough that latency is negligible.
  public static final long DEFAULT_BUCKET_BYTES = 1 << 20;

  /// Maximum norm of the gradient, as for GPT-3.
  public static final double DEFAULT_CLIP = 1;

  /// The defaults above, without activation checkpointing.
  public static final BatchSettings DEFAULT =
      new BatchSettings(
          DEFAULT_BATCH, DEFAULT_MICROBATCH, null, false, DEFAULT_BUCKET_BYTES, DEFAULT_CLIP);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if a number is too small
  public BatchSettings {
    InvalidSettingException.requireAtLeast("batch", batch, 1);
    InvalidSettingException.requireAtLeast("microbatch", microbatch, 1);
    if (inFlight != null) {
      InvalidSettingException.requireAtLeast("inFlight", inFlight, 1);
    }
    if (bucketBytes < Float.BYTES) {
      throw new InvalidSettingException(
          "{bucketBytes}: expected at least 4 bytes, found " + bucketBytes);
    }
    InvalidSettingException.requireNotNegative("clip", clip);
  }

  /// {@return a copy with another number of samples in an iteration}
  ///
  /// @param newBatch samples
  public BatchSettings withBatch(int newBatch) {
    return new BatchSettings(
        newBatch, microbatch, inFlight, checkpointActivations, bucketBytes, clip);
  }

  /// {@return a copy with another number of samples in a microbatch}
  ///
  /// @param newMicrobatch samples
  public BatchSettings withMicrobatch(int newMicrobatch) {
    return new BatchSettings(
        batch, newMicrobatch, inFlight, checkpointActivations, bucketBytes, clip);
  }

  /// {@return a copy with another number of microbatches in flight}
  ///
  /// @param newInFlight null for the default of the grid
  public BatchSettings withInFlight(@Nullable Integer newInFlight) {
    return new BatchSettings(
        batch, microbatch, newInFlight, checkpointActivations, bucketBytes, clip);
  }

  /// {@return a copy with or without activation checkpointing}
  ///
  /// @param again whether activations are recomputed
  public BatchSettings withCheckpointActivations(boolean again) {
    return new BatchSettings(batch, microbatch, inFlight, again, bucketBytes, clip);
  }

  /// {@return a copy with another bucket size}
  ///
  /// @param newBucketBytes bytes
  public BatchSettings withBucketBytes(long newBucketBytes) {
    return new BatchSettings(
        batch, microbatch, inFlight, checkpointActivations, newBucketBytes, clip);
  }

  /// {@return a copy with another maximum norm of the gradient}
  ///
  /// @param newClip 0 for no limit
  public BatchSettings withClip(double newClip) {
    return new BatchSettings(
        batch, microbatch, inFlight, checkpointActivations, bucketBytes, newClip);
  }
}
