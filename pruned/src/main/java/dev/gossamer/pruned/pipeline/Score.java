package dev.gossamer.pruned.pipeline;

import org.jspecify.annotations.Nullable;

/// How well a network predicts.
///
/// @param labels that were predicted
/// @param loss mean cross entropy, in nats
/// @param accuracy share of right predictions
/// @param text what the labels are as a text; null for images, and if it was not counted
public record Score(long labels, double loss, double accuracy, @Nullable Text text) {
  /// What predicted tokens are as a text. Losses per byte or word can be compared between models of
  /// different tokens.
  ///
  /// @param bytes of UTF-8
  /// @param words runs of characters between blanks and line ends
  public record Text(long bytes, long words) {}

  /// {@return the score of sums; all 0 if nothing was predicted}
  ///
  /// @param labels that were predicted
  /// @param loss sum of the cross entropies
  /// @param right predictions that were right
  public static Score of(long labels, double loss, double right) {
    return new Score(labels, loss / Math.max(1, labels), right / Math.max(1, labels), null);
  }

  /// {@return the same of labels that are a text}
  ///
  /// @param newText what they are
  public Score withText(Text newText) {
    return new Score(labels, loss, accuracy, newText);
  }

  /// {@return the loss of all labels, shared among the bytes of a text, in bits; NaN if there are
  /// none}
  public double bitsPerByte() {
    return text == null ? Double.NaN : loss * labels / text.bytes() / Math.log(2);
  }

  /// {@return `exp` of the loss of all labels, shared among the words of a text; NaN if there are
  /// none}
  public double wordPerplexity() {
    return text == null ? Double.NaN : Math.exp(loss * labels / text.words());
  }

  /// {@return `exp(loss)`}
  public double perplexity() {
    return Math.exp(loss);
  }
}
