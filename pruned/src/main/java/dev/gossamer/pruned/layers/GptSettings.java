package dev.gossamer.pruned.layers;

import java.util.List;

/// Sizes of a [Gpt].
///
/// @param vocabulary number of tokens
/// @param length context length in tokens
/// @param layers number of transformer blocks
/// @param heads number of attention heads, which share the width
/// @param width channels between blocks
/// @param dropout rate after the embedding, each attention and each perceptron
/// @param tiedHead whether the head is the transposed token embedding, as in GPT-2, or has its own
///   weights
public record GptSettings(
    int vocabulary, int length, int layers, int heads, int width, float dropout, boolean tiedHead) {
  /// The names that [#named] knows.
  public static final List<String> NAMES =
      List.of(
          "gpt-tiny", "gpt-small", "gpt-50m", "gpt-xl", "gpt-2.7b", "gpt-6.7b", "gpt-13b", "gpt2");

  /// Maximum number of layers: more than published networks have, and few enough that an absurd
  /// number is refused before its layers, which take memory before any weight does, are built.
  public static final int MOST_LAYERS = 1000;

  private static final int BYTES = 256;
  private static final int PAIRS = 50257;

  /// Checks the settings.
  public GptSettings {
    if (layers < 1 || layers > MOST_LAYERS) {
      throw new IllegalArgumentException(
          "gpt: expected 1..%d layers, found %d".formatted(MOST_LAYERS, layers));
    }
  }

  /// Returns sizes by name: three of ours, of which the two smallest read bytes; four of GPT-3 (T.
  /// Brown et al., 2020, table 2.1), with 16 heads where the table's 24 do not divide the width,
  /// and 5120 channels instead of 5140, which is not 40 times 128; and the smallest GPT-2, with a
  /// tied head.
  ///
  /// @param name one of [#NAMES]
  /// @return the sizes
  /// @throws IllegalArgumentException if the name is not one of [#NAMES]
  public static GptSettings named(String name) {
    return switch (name) {
      case "gpt-tiny" -> untied(BYTES, 64, 2, 2, 64);
      case "gpt-small" -> untied(BYTES, 128, 4, 4, 128);
      case "gpt-50m" -> untied(PAIRS, 512, 6, 6, 384);
      case "gpt-xl" -> untied(PAIRS, 2048, 24, 16, 2048);
      case "gpt-2.7b" -> untied(PAIRS, 2048, 32, 32, 2560);
      case "gpt-6.7b" -> untied(PAIRS, 2048, 32, 32, 4096);
      case "gpt-13b" -> untied(PAIRS, 2048, 40, 40, 5120);
      case "gpt2" -> untied(PAIRS, 1024, 12, 12, 768).withTiedHead(true);
      default ->
          throw new IllegalArgumentException(
              "gpt: expected one of %s, found %s".formatted(String.join(", ", NAMES), name));
    };
  }

  private static GptSettings untied(int vocabulary, int length, int layers, int heads, int width) {
    return new GptSettings(vocabulary, length, layers, heads, width, 0, false);
  }

  /// {@return a copy with another vocabulary}
  ///
  /// @param newVocabulary tokens
  public GptSettings withVocabulary(int newVocabulary) {
    return new GptSettings(newVocabulary, length, layers, heads, width, dropout, tiedHead);
  }

  /// {@return a copy with another context length}
  ///
  /// @param newLength context length in tokens
  public GptSettings withLength(int newLength) {
    return new GptSettings(vocabulary, newLength, layers, heads, width, dropout, tiedHead);
  }

  /// {@return a copy with another number of layers}
  ///
  /// @param newLayers transformer blocks
  public GptSettings withLayers(int newLayers) {
    return new GptSettings(vocabulary, length, newLayers, heads, width, dropout, tiedHead);
  }

  /// {@return a copy with another number of heads}
  ///
  /// @param newHeads of attention
  public GptSettings withHeads(int newHeads) {
    return new GptSettings(vocabulary, length, layers, newHeads, width, dropout, tiedHead);
  }

  /// {@return a copy with another width}
  ///
  /// @param newWidth channels between blocks
  public GptSettings withWidth(int newWidth) {
    return new GptSettings(vocabulary, length, layers, heads, newWidth, dropout, tiedHead);
  }

  /// {@return a copy with another dropout rate}
  ///
  /// @param newDropout rate
  public GptSettings withDropout(float newDropout) {
    return new GptSettings(vocabulary, length, layers, heads, width, newDropout, tiedHead);
  }

  /// {@return a copy with a head that is the token embedding, or has its own weights}
  ///
  /// @param tied whether it is the embedding
  public GptSettings withTiedHead(boolean tied) {
    return new GptSettings(vocabulary, length, layers, heads, width, dropout, tied);
  }
}
