package dev.gossamer.pruned.pipeline;

import org.jspecify.annotations.Nullable;

/// The score of a network's predictions.
///
/// @param labels number of predicted labels
/// @param loss mean cross entropy, in nats
/// @param accuracy share of correct predictions
/// @param text size of the labels as text; null for images, and if it was not counted
public record Score(long labels, double loss, double accuracy, @Nullable Text text) {
  /// The size of predicted tokens as text. Losses per byte or word are comparable between models
  /// with different tokens.
  ///
  /// @param bytes of UTF-8
  /// @param words runs of characters between blanks and line ends
  public record Text(long bytes, long words) {}

  /// {@return the score for given sums; all 0 if nothing was predicted}
  ///
  /// @param labels number of predicted labels
  /// @param loss sum of the cross entropies
  /// @param right number of correct predictions
  public static Score of(long labels, double loss, double right) {
    return new Score(labels, loss / Math.max(1, labels), right / Math.max(1, labels), null);
  }

  /// {@return a copy with the size of the text}
  ///
  /// @param newText size of the labels as text
  public Score withText(Text newText) {
    return new Score(labels, loss, accuracy, newText);
  }

  /// {@return the loss per byte of text, in bits; NaN without bytes}
  public double bitsPerByte() {
    return text == null || text.bytes() == 0
        ? Double.NaN
        : loss * labels / text.bytes() / Math.log(2);
  }

  /// {@return `exp` of the loss per word of text; NaN without words, infinite if words are so long
  /// that no double is as large}
  public double wordPerplexity() {
    return text == null || text.words() == 0 ? Double.NaN : Math.exp(loss * labels / text.words());
  }

  /// {@return `exp(loss)`}
  public double perplexity() {
    return Math.exp(loss);
  }
}
