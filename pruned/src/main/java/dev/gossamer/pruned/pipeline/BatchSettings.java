package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/// How an iteration is divided into microbatches and what it may keep, on any grid.
///
/// @param batch samples of an iteration, of all replicas
/// @param microbatch samples that go through a stage at a time; batch normalisation normalises them
///   together
/// @param inFlight microbatches of a replica that have begun and not ended, at most; null for what
///   is usual on the grid, see [PipelineSettings#usualInFlight]. The stages before a stage hold one
///   each, so stage `s` has room for `inFlight - s`
/// @param checkpointActivations whether activations are computed again in the backward pass: less
///   memory, more time
/// @param bucketBytes of gradients that are sent together
/// @param clip largest norm of the gradient of all parameters; 0 for any
public record BatchSettings(
    int batch,
    int microbatch,
    @Nullable Integer inFlight,
    boolean checkpointActivations,
    long bucketBytes,
    double clip) {
  /// Samples of an iteration: an iteration of the smallest networks takes about a second on a few
  /// cores.
  public static final int DEFAULT_BATCH = 16;

  /// Samples of a microbatch: four microbatches fill a pipeline of two stages.
  public static final int DEFAULT_MICROBATCH = 4;

  /// Bytes of a bucket: enough that a message's latency does not count.
  public static final long DEFAULT_BUCKET_BYTES = 1 << 20;

  /// Largest norm of the gradient, as GPT-3 was trained.
  public static final double DEFAULT_CLIP = 1;

  /// The defaults above; activations are kept.
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

  /// {@return the same with another number of samples in an iteration}
  ///
  /// @param newBatch samples
  public BatchSettings withBatch(int newBatch) {
    return new BatchSettings(
        newBatch, microbatch, inFlight, checkpointActivations, bucketBytes, clip);
  }

  /// {@return the same with another number of samples in a microbatch}
  ///
  /// @param newMicrobatch samples
  public BatchSettings withMicrobatch(int newMicrobatch) {
    return new BatchSettings(
        batch, newMicrobatch, inFlight, checkpointActivations, bucketBytes, clip);
  }

  /// {@return the same with another number of microbatches in flight}
  ///
  /// @param newInFlight null for what is usual on the grid
  public BatchSettings withInFlight(@Nullable Integer newInFlight) {
    return new BatchSettings(
        batch, microbatch, newInFlight, checkpointActivations, bucketBytes, clip);
  }

  /// {@return the same with activations that are kept or computed again}
  ///
  /// @param again whether they are computed again
  public BatchSettings withCheckpointActivations(boolean again) {
    return new BatchSettings(batch, microbatch, inFlight, again, bucketBytes, clip);
  }

  /// {@return the same with other buckets of gradients}
  ///
  /// @param newBucketBytes bytes
  public BatchSettings withBucketBytes(long newBucketBytes) {
    return new BatchSettings(
        batch, microbatch, inFlight, checkpointActivations, newBucketBytes, clip);
  }

  /// {@return the same with another largest norm of the gradient}
  ///
  /// @param newClip 0 for any
  public BatchSettings withClip(double newClip) {
    return new BatchSettings(
        batch, microbatch, inFlight, checkpointActivations, bucketBytes, newClip);
  }
}
