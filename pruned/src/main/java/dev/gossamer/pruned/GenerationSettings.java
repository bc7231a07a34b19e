package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.run.memory.SystemCores;
import java.util.List;

/// Settings for text generation with a language model.
///
/// @param count number of tokens to add
/// @param temperature divisor of the logits: 1 draws with the probabilities of the model, smaller
///   values prefer likelier tokens, and 0 takes the likeliest
/// @param topK draws among this number of likeliest tokens; 0 for all
/// @param topP draws among the likeliest tokens that together have this probability, after `topK`
///   is applied; 1 for all
/// @param stop texts before which generation ends; the end-of-text token, if the model has one,
///   always ends it
/// @param seed of the draws
/// @param threads number of threads; the result does not depend on it
public record GenerationSettings(
    int count,
    double temperature,
    int topK,
    double topP,
    List<String> stop,
    long seed,
    int threads) {
  /// Tokens to add.
  public static final int DEFAULT_COUNT = 300;

  /// Temperature: texts are varied but coherent.
  public static final double DEFAULT_TEMPERATURE = 0.8;

  /// Number of likeliest tokens to draw among, which cuts the unlikely tail.
  public static final int DEFAULT_TOP_K = 40;

  /// Probability to draw among: all of it, because [#DEFAULT_TOP_K] already cuts the tail.
  public static final double DEFAULT_TOP_P = 1;

  /// The defaults above, on all cores.
  public static final GenerationSettings DEFAULT =
      new GenerationSettings(
          DEFAULT_COUNT,
          DEFAULT_TEMPERATURE,
          DEFAULT_TOP_K,
          DEFAULT_TOP_P,
          List.of(),
          0,
          SystemCores.share(1));

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if a number is out of its range
  public GenerationSettings {
    InvalidSettingException.requireAtLeast("count", count, 1);
    if (!(temperature >= 0 && temperature <= 100)) {
      throw new InvalidSettingException("{temperature}: expected 0 to 100, found " + temperature);
    }
    InvalidSettingException.requireAtLeast("topK", topK, 0);
    if (!(topP > 0 && topP <= 1)) {
      throw new InvalidSettingException(
          "{topP}: expected more than 0 and at most 1, found " + topP);
    }
    stop = List.copyOf(stop);
    if (stop.contains("")) {
      throw new InvalidSettingException("{stop}: expected a character, found none");
    }
    InvalidSettingException.requireAtLeast("threads", threads, 1);
  }

  /// {@return a copy with another number of tokens}
  ///
  /// @param newCount at least 1
  public GenerationSettings withCount(int newCount) {
    return new GenerationSettings(newCount, temperature, topK, topP, stop, seed, threads);
  }

  /// {@return a copy with another temperature}
  ///
  /// @param newTemperature 0 to 100
  public GenerationSettings withTemperature(double newTemperature) {
    return new GenerationSettings(count, newTemperature, topK, topP, stop, seed, threads);
  }

  /// {@return a copy with draws among another number of tokens}
  ///
  /// @param newTopK 0 for all
  public GenerationSettings withTopK(int newTopK) {
    return new GenerationSettings(count, temperature, newTopK, topP, stop, seed, threads);
  }

  /// {@return a copy with draws among tokens with another total probability}
  ///
  /// @param newTopP 1 for all
  public GenerationSettings withTopP(double newTopP) {
    return new GenerationSettings(count, temperature, topK, newTopP, stop, seed, threads);
  }

  /// {@return a copy with other stop texts}
  ///
  /// @param newStop of at least one character each
  public GenerationSettings withStop(String... newStop) {
    return new GenerationSettings(count, temperature, topK, topP, List.of(newStop), seed, threads);
  }

  /// {@return a copy with another seed}
  ///
  /// @param newSeed of the draws
  public GenerationSettings withSeed(long newSeed) {
    return new GenerationSettings(count, temperature, topK, topP, stop, newSeed, threads);
  }

  /// {@return a copy with another number of threads}
  ///
  /// @param newThreads at least 1
  public GenerationSettings withThreads(int newThreads) {
    return new GenerationSettings(count, temperature, topK, topP, stop, seed, newThreads);
  }
}
