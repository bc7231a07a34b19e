package dev.gossamer.pruned;

import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.run.memory.SystemCores;

/// How a model is evaluated.
///
/// @param samples of a part that are looked at, at most
/// @param batch samples of one forward pass: more take more memory
/// @param threads the result does not depend on them
public record EvaluationSettings(long samples, int batch, int threads) {
  /// All samples, 8 at a time, on all cores.
  public static final EvaluationSettings DEFAULT =
      new EvaluationSettings(Long.MAX_VALUE, 8, SystemCores.share(1));

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if a number is less than 1
  public EvaluationSettings {
    InvalidSettingException.requireAtLeast("samples", samples, 1);
    InvalidSettingException.requireAtLeast("batch", batch, 1);
    InvalidSettingException.requireAtLeast("threads", threads, 1);
  }

  /// {@return the same with another number of samples}
  ///
  /// @param newSamples at most
  public EvaluationSettings withSamples(long newSamples) {
    return new EvaluationSettings(newSamples, batch, threads);
  }

  /// {@return the same with other forward passes}
  ///
  /// @param newBatch samples of one pass
  public EvaluationSettings withBatch(int newBatch) {
    return new EvaluationSettings(samples, newBatch, threads);
  }

  /// {@return the same with another number of threads}
  ///
  /// @param newThreads at least 1
  public EvaluationSettings withThreads(int newThreads) {
    return new EvaluationSettings(samples, batch, newThreads);
  }
}
