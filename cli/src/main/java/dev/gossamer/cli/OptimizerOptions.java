package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.nn.optimizer.OptimizerRule;
import picocli.CommandLine.Option;

/// Flags of the optimizer and its schedule.
final class OptimizerOptions {
  @Option(
      names = "--optimizer",
      paramLabel = "KIND",
      defaultValue = "adam",
      description = "adam, adamw or sgd (default: ${DEFAULT-VALUE}).")
  String optimizer = "adam";

  @Option(
      names = "--lr",
      paramLabel = "RATE",
      defaultValue = "0.01",
      description = "Learning rate (default: ${DEFAULT-VALUE}).")
  double rate;

  @Option(
      names = "--momentum",
      paramLabel = "MU",
      defaultValue = "0.9",
      description = "Momentum of sgd (default: ${DEFAULT-VALUE}).")
  double momentum;

  @Option(
      names = "--weight-decay",
      paramLabel = "WD",
      defaultValue = "0",
      description = "Pull of the weights towards zero (default: ${DEFAULT-VALUE}).")
  double weightDecay;

  @Option(
      names = "--weight-decay-on",
      paramLabel = "WHICH",
      defaultValue = "all",
      description =
          "Whose weights decay: all, or first (layer) as Kipf and Welling (default: ${DEFAULT-VALUE}).")
  String weightDecayOn = "all";

  @Option(
      names = "--schedule",
      paramLabel = "KIND",
      defaultValue = "constant",
      description =
          "Learning rate over the epochs: constant, step or cosine (default: ${DEFAULT-VALUE}).")
  String schedule = "constant";

  @Option(
      names = "--step-every",
      paramLabel = "EPOCHS",
      defaultValue = "50",
      description = "Epochs of a step of --schedule step (default: ${DEFAULT-VALUE}).")
  int stepEvery;

  @Option(
      names = "--step-factor",
      paramLabel = "FACTOR",
      defaultValue = "0.5",
      description = "What a step multiplies the rate with (default: ${DEFAULT-VALUE}).")
  double stepFactor;

  OptimizerRule rule() {
    requireAtLeastZero("--weight-decay", weightDecay);
    return switch (optimizer) {
      case "adam" -> new OptimizerRule.Adam(weightDecay);
      case "adamw" -> new OptimizerRule.AdamW(weightDecay);
      case "sgd" -> {
        requireAtLeastZero("--momentum", momentum);
        yield new OptimizerRule.Sgd(weightDecay, momentum);
      }
      default ->
          throw new InvalidInputException(
              "--optimizer: expected adam, adamw or sgd, found " + optimizer);
    };
  }

  boolean decayFirstLayerOnly() {
    return switch (weightDecayOn) {
      case "all" -> false;
      case "first" -> true;
      default ->
          throw new InvalidInputException(
              "--weight-decay-on: expected all or first, found " + weightDecayOn);
    };
  }

  LearningRate learningRate(int epochs) {
    try {
      return switch (schedule) {
        case "constant" -> new LearningRate.Constant(rate);
        case "step" -> new LearningRate.Step(rate, stepEvery, stepFactor);
        case "cosine" -> new LearningRate.Cosine(rate, epochs);
        default ->
            throw new InvalidInputException(
                "--schedule: expected constant, step or cosine, found " + schedule);
      };
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--lr, --schedule: " + e.getMessage(), e);
    }
  }

  private static void requireAtLeastZero(String flag, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new InvalidInputException("%s: expected 0 or more, found %s".formatted(flag, value));
    }
  }
}
