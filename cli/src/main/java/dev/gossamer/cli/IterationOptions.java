package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.nn.optimizer.OptimizerRule;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the optimizer of a dense network, and its schedule over iterations. What is not given
/// depends on the model: AdamW for texts, gradient descent with momentum for images, as in SAMO's
/// section V.
final class IterationOptions {
  @Option(
      names = "--iterations",
      paramLabel = "N",
      defaultValue = "300",
      description = "Iterations of the whole run (default: ${DEFAULT-VALUE}).")
  int iterations = 300;

  @Option(
      names = "--optimizer",
      paramLabel = "KIND",
      description = "adam, adamw or sgd (default: adamw for texts, sgd with momentum for images).")
  @Nullable String optimizer;

  @Option(
      names = "--lr",
      paramLabel = "RATE",
      description = "Largest learning rate (default: 0.001 for adam and adamw, 0.05 for sgd).")
  @Nullable Double rate;

  @Option(
      names = "--min-lr",
      paramLabel = "RATE",
      description = "Learning rate at the end of the cosine (default: a tenth of --lr).")
  @Nullable Double floor;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      description =
          "Iterations in which the learning rate grows to --lr (default: a tenth of all, at most 50).")
  @Nullable Integer warmup;

  @Option(
      names = "--momentum",
      paramLabel = "MU",
      defaultValue = "0.9",
      description = "Momentum of sgd (default: ${DEFAULT-VALUE}).")
  double momentum = 0.9;

  @Option(
      names = "--weight-decay",
      paramLabel = "WD",
      description =
          "Pull of matrices towards zero; biases and scales have none (default: 0.1 for adamw, 0.0005 for sgd).")
  @Nullable Double weightDecay;

  OptimizerRule rule(boolean text) {
    String kind = kind(text);
    double decay =
        weightDecay != null
            ? weightDecay
            : switch (kind) {
              case "adamw" -> 0.1;
              case "sgd" -> 5e-4;
              default -> 0;
            };
    if (!(decay >= 0 && decay < Double.POSITIVE_INFINITY)) {
      throw new InvalidInputException("--weight-decay: expected 0 or more, found " + decay);
    }
    if (!(momentum >= 0 && momentum < 1)) {
      throw new InvalidInputException(
          "--momentum: expected at least 0 and less than 1, found " + momentum);
    }
    return switch (kind) {
      case "adam" -> new OptimizerRule.Adam(decay);
      case "adamw" -> new OptimizerRule.AdamW(decay, 0.9, 0.95, 1e-8);
      case "sgd" -> new OptimizerRule.Sgd(decay, momentum);
      default ->
          throw new InvalidInputException(
              "--optimizer: expected adam, adamw or sgd, found " + kind);
    };
  }

  LearningRate learningRate(boolean text) {
    double most = rate == null ? (kind(text).equals("sgd") ? 0.05 : 1e-3) : rate;
    double least = floor == null ? most / 10 : floor;
    try {
      return new LearningRate.WarmupCosine(
          most, warmup == null ? Math.min(50, iterations / 10) : warmup, iterations, least);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--lr, --warmup, --min-lr: " + e.getMessage(), e);
    }
  }

  private String kind(boolean text) {
    return optimizer != null ? optimizer : text ? "adamw" : "sgd";
  }
}
