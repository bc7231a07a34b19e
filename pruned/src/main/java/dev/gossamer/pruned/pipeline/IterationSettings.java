package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.io.InvalidSettingException;

/// How long a run goes on, and what it does between iterations.
///
/// @param iterations of the whole run
/// @param evaluateEvery iterations between two evaluations; the last is always evaluated
/// @param evaluateSamples of the validation part that an evaluation looks at, at most
/// @param checkpointEvery iterations between two checkpoints; 0 for one at the end or when
///   interrupted
public record IterationSettings(
    int iterations, int evaluateEvery, long evaluateSamples, int checkpointEvery) {
  /// Iterations of a run: in these the smallest networks learn something in a few minutes.
  public static final int DEFAULT_ITERATIONS = 300;

  /// Iterations between two evaluations.
  public static final int DEFAULT_EVALUATE_EVERY = 50;

  /// Samples of an evaluation: it takes less time than the iterations before it.
  public static final long DEFAULT_EVALUATE_SAMPLES = 256;

  /// The defaults above; a checkpoint at the end or when interrupted.
  public static final IterationSettings DEFAULT =
      new IterationSettings(
          DEFAULT_ITERATIONS, DEFAULT_EVALUATE_EVERY, DEFAULT_EVALUATE_SAMPLES, 0);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if a number is too small
  public IterationSettings {
    InvalidSettingException.requireAtLeast("iterations", iterations, 1);
    InvalidSettingException.requireAtLeast("evaluateEvery", evaluateEvery, 1);
    InvalidSettingException.requireAtLeast("evaluateSamples", evaluateSamples, 1);
    InvalidSettingException.requireAtLeast("checkpointEvery", checkpointEvery, 0);
  }

  /// {@return the same with another number of iterations}
  ///
  /// @param newIterations at least 1
  public IterationSettings withIterations(int newIterations) {
    return new IterationSettings(newIterations, evaluateEvery, evaluateSamples, checkpointEvery);
  }

  /// {@return the same with another interval between evaluations}
  ///
  /// @param newInterval iterations
  public IterationSettings withEvaluateEvery(int newInterval) {
    return new IterationSettings(iterations, newInterval, evaluateSamples, checkpointEvery);
  }

  /// {@return the same with another number of samples in an evaluation}
  ///
  /// @param newSamples at most
  public IterationSettings withEvaluateSamples(long newSamples) {
    return new IterationSettings(iterations, evaluateEvery, newSamples, checkpointEvery);
  }

  /// {@return the same with another interval between checkpoints}
  ///
  /// @param newInterval iterations
  public IterationSettings withCheckpointEvery(int newInterval) {
    return new IterationSettings(iterations, evaluateEvery, evaluateSamples, newInterval);
  }
}
