package dev.gossamer.pipeline;

/// How well a network predicts.
///
/// @param labels that were predicted
/// @param loss mean cross entropy, in nats
/// @param accuracy share of right predictions
public record Score(long labels, double loss, double accuracy) {
  /// `exp(loss)`.
  public double perplexity() {
    return Math.exp(loss);
  }
}
