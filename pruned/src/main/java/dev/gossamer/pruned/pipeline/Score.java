package dev.gossamer.pruned.pipeline;

/// How well a network predicts.
///
/// @param labels that were predicted
/// @param loss mean cross entropy, in nats
/// @param accuracy share of right predictions
public record Score(long labels, double loss, double accuracy) {
  /// {@return the score of sums; all 0 if nothing was predicted}
  ///
  /// @param labels that were predicted
  /// @param loss sum of the cross entropies
  /// @param right predictions that were right
  public static Score of(long labels, double loss, double right) {
    return new Score(labels, loss / Math.max(1, labels), right / Math.max(1, labels));
  }

  /// {@return `exp(loss)`}
  public double perplexity() {
    return Math.exp(loss);
  }
}
