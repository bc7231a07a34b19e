package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/// How long a run lasts, and what it does between iterations.
///
/// @param iterations of the whole run
/// @param evaluateEvery iterations between two evaluations; the last is always evaluated
/// @param evaluateSamples of the validation part that an evaluation looks at, at most
/// @param checkpointEvery iterations between two checkpoints; 0 for one at the end or when
///   interrupted
/// @param keep which weights the run ends with; null for the last, or the best with patience
/// @param patience evaluations without a better validation loss, once the network is pruned as far
///   as it is to be, after which the run ends; 0 for never
public record IterationSettings(
    int iterations,
    int evaluateEvery,
    long evaluateSamples,
    int checkpointEvery,
    @Nullable Keep keep,
    int patience) {
  /// Which weights a run ends with.
  public enum Keep {
    /// Those of the last iteration.
    LAST,
    /// Those with the smallest validation loss since the network was pruned last: a copy of what is
    /// kept, 4 bytes for each survivor.
    BEST
  }

  /// Iterations of a run: in these the smallest networks learn something in a few minutes.
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

  /// {@return whether the run ends with the best weights, and not the last}
  public boolean keepsBest() {
    return keep == null ? patience > 0 : keep == Keep.BEST;
  }

  /// {@return the same with another number of iterations}
  ///
  /// @param newIterations at least 1
  public IterationSettings withIterations(int newIterations) {
    return new IterationSettings(
        newIterations, evaluateEvery, evaluateSamples, checkpointEvery, keep, patience);
  }

  /// {@return the same with another interval between evaluations}
  ///
  /// @param newInterval iterations
  public IterationSettings withEvaluateEvery(int newInterval) {
    return new IterationSettings(
        iterations, newInterval, evaluateSamples, checkpointEvery, keep, patience);
  }

  /// {@return the same with another number of samples in an evaluation}
  ///
  /// @param newSamples at most
  public IterationSettings withEvaluateSamples(long newSamples) {
    return new IterationSettings(
        iterations, evaluateEvery, newSamples, checkpointEvery, keep, patience);
  }

  /// {@return the same with another interval between checkpoints}
  ///
  /// @param newInterval iterations
  public IterationSettings withCheckpointEvery(int newInterval) {
    return new IterationSettings(
        iterations, evaluateEvery, evaluateSamples, newInterval, keep, patience);
  }

  /// {@return the same that end with other weights}
  ///
  /// @param newKeep last or best
  public IterationSettings withKeep(Keep newKeep) {
    return new IterationSettings(
        iterations, evaluateEvery, evaluateSamples, checkpointEvery, newKeep, patience);
  }

  /// {@return the same with another patience}
  ///
  /// @param newPatience evaluations; 0 for a run that does not end early
  public IterationSettings withPatience(int newPatience) {
    return new IterationSettings(
        iterations, evaluateEvery, evaluateSamples, checkpointEvery, keep, newPatience);
  }
}
