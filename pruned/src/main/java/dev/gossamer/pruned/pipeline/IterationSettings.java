package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/// The number of iterations, evaluations and checkpoints of a run.
///
/// @param iterations of the whole run
/// @param evaluateEvery iterations between two evaluations; the last is always evaluated
/// @param evaluateSamples maximum number of validation samples of an evaluation
/// @param checkpointEvery iterations between two checkpoints; 0 for one at the end or when
///   interrupted
/// @param keep final weights of the run; null for the last, or with patience the best
/// @param patience number of evaluations without a better validation loss, after the last pruning,
///   after which the run ends; 0 for never
public record IterationSettings(
    int iterations,
    int evaluateEvery,
    long evaluateSamples,
    int checkpointEvery,
    @Nullable Keep keep,
    int patience) {
  /// The final weights of a run.
  public enum Keep {
    /// The weights of the last iteration.
    LAST,
    /// The weights with the smallest validation loss since the last pruning: needs a copy, 4 bytes
    /// for each survivor.
    BEST
  }

  /// Iterations of a run: enough for the smallest networks to improve visibly, in minutes.
  public static final int DEFAULT_ITERATIONS = 300;

  /// Iterations between two evaluations.
  public static final int DEFAULT_EVALUATE_EVERY = 50;

  /// Samples of an evaluation: it takes less time than the iterations before it.
  public static final long DEFAULT_EVALUATE_SAMPLES = 256;

  /// The defaults above; a checkpoint at the end or when interrupted.
  public static final IterationSettings DEFAULT =
      new IterationSettings(
          DEFAULT_ITERATIONS, DEFAULT_EVALUATE_EVERY, DEFAULT_EVALUATE_SAMPLES, 0, null, 0);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if a number is too small
  public IterationSettings {
    InvalidSettingException.requireAtLeast("iterations", iterations, 1);
    InvalidSettingException.requireAtLeast("evaluateEvery", evaluateEvery, 1);
    InvalidSettingException.requireAtLeast("evaluateSamples", evaluateSamples, 1);
    InvalidSettingException.requireAtLeast("checkpointEvery", checkpointEvery, 0);
    InvalidSettingException.requireAtLeast("patience", patience, 0);
  }

  /// {@return whether the run ends with the best weights instead of the last}
  public boolean keepsBest() {
    return keep == null ? patience > 0 : keep == Keep.BEST;
  }

  /// {@return a copy with another number of iterations}
  ///
  /// @param newIterations at least 1
  public IterationSettings withIterations(int newIterations) {
    return new IterationSettings(
        newIterations, evaluateEvery, evaluateSamples, checkpointEvery, keep, patience);
  }

  /// {@return a copy with another interval between evaluations}
  ///
  /// @param newInterval iterations
  public IterationSettings withEvaluateEvery(int newInterval) {
    return new IterationSettings(
        iterations, newInterval, evaluateSamples, checkpointEvery, keep, patience);
  }

  /// {@return a copy with another number of samples in an evaluation}
  ///
  /// @param newSamples maximum number
  public IterationSettings withEvaluateSamples(long newSamples) {
    return new IterationSettings(
        iterations, evaluateEvery, newSamples, checkpointEvery, keep, patience);
  }

  /// {@return a copy with another interval between checkpoints}
  ///
  /// @param newInterval iterations
  public IterationSettings withCheckpointEvery(int newInterval) {
    return new IterationSettings(
        iterations, evaluateEvery, evaluateSamples, newInterval, keep, patience);
  }

  /// {@return a copy with other final weights}
  ///
  /// @param newKeep last or best
  public IterationSettings withKeep(Keep newKeep) {
    return new IterationSettings(
        iterations, evaluateEvery, evaluateSamples, checkpointEvery, newKeep, patience);
  }

  /// {@return a copy with another patience}
  ///
  /// @param newPatience evaluations; 0 for a run that does not end early
  public IterationSettings withPatience(int newPatience) {
    return new IterationSettings(
        iterations, evaluateEvery, evaluateSamples, checkpointEvery, keep, newPatience);
  }
}
