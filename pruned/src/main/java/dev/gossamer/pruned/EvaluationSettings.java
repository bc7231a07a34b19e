package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.run.memory.SystemCores;

/// Settings for the evaluation of a model.
///
/// @param samples maximum number of samples of a part
/// @param batch samples per forward pass: more samples need more memory
/// @param threads number of threads; the result does not depend on it
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

  /// {@return a copy with another number of samples}
  ///
  /// @param newSamples maximum number of samples
  public EvaluationSettings withSamples(long newSamples) {
    return new EvaluationSettings(newSamples, batch, threads);
  }

  /// {@return a copy with another batch size}
  ///
  /// @param newBatch samples per forward pass
  public EvaluationSettings withBatch(int newBatch) {
    return new EvaluationSettings(samples, newBatch, threads);
  }

  /// {@return a copy with another number of threads}
  ///
  /// @param newThreads at least 1
  public EvaluationSettings withThreads(int newThreads) {
    return new EvaluationSettings(samples, batch, newThreads);
  }
}
