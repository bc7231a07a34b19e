package dev.gossamer.cli.graph;

import dev.gossamer.LearningSettings;
import dev.gossamer.LossSettings;
import dev.gossamer.Schedule;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.terminal.ReadWith;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.nn.optimizer.OptimizerRule;
import java.util.Locale;
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

  @ReadWith("--optimizer adam")
  @Option(
      names = "--beta1",
      paramLabel = "BETA",
      defaultValue = "" + OptimizerRule.BETA1,
      description =
          "Decay rate of the mean gradient in adam and adamw (default: ${DEFAULT-VALUE}).")
  double beta1;

  @ReadWith("--optimizer adam")
  @Option(
      names = "--beta2",
      paramLabel = "BETA",
      defaultValue = "" + OptimizerRule.BETA2,
      description =
          "Decay rate of the mean squared gradient in adam and adamw (default: ${DEFAULT-VALUE}).")
  double beta2;

  @ReadWith("--optimizer sgd")
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
      description = "Weight decay (default: ${DEFAULT-VALUE}).")
  double weightDecay;

  @Option(
      names = "--weight-decay-on",
      paramLabel = "WHICH",
      defaultValue = "all",
      description =
          "Layers whose weights decay: all, or first as in Kipf and Welling (default: ${DEFAULT-VALUE}).")
  String weightDecayOn = "all";

  @Option(
      names = "--schedule",
      paramLabel = "KIND",
      defaultValue = "constant",
      description =
          "Learning rate over the epochs: constant, step or cosine (default: ${DEFAULT-VALUE}).")
  String schedule = "constant";

  @ReadWith("--schedule step")
  @Option(
      names = "--step-every",
      paramLabel = "EPOCHS",
      defaultValue = "50",
      description = "Epochs between two steps of --schedule step (default: ${DEFAULT-VALUE}).")
  int stepEvery;

  @ReadWith("--schedule step")
  @Option(
      names = "--step-factor",
      paramLabel = "FACTOR",
      defaultValue = "0.5",
      description = "Factor of each step (default: ${DEFAULT-VALUE}).")
  double stepFactor;

  @Option(
      names = "--warmup",
      paramLabel = "EPOCHS",
      defaultValue = "0",
      description = "Epochs of linear warm-up (default: ${DEFAULT-VALUE}).")
  int warmup;

  /// Returns the settings of the flags.
  ///
  /// @param loss what training minimises
  /// @param pace of the run
  LearningSettings learning(LossSettings loss, LearningSettings.Pace pace) {
    InvalidSettingException.requireAtLeast("warmup", warmup, 0);
    Schedule warmed = warmup == 0 ? schedule() : schedule().warmedUp(warmup);
    return new LearningSettings(loss, rule(), decayed(), rate, warmed, pace);
  }

  private OptimizerRule rule() {
    return switch (optimizer.toLowerCase(Locale.ROOT)) {
      case "adam" -> new OptimizerRule.Adam(weightDecay, beta1, beta2, OptimizerRule.EPSILON);
      case "adamw" -> new OptimizerRule.AdamW(weightDecay, beta1, beta2, OptimizerRule.EPSILON);
      case "sgd" -> new OptimizerRule.Sgd(weightDecay, momentum);
      default ->
          throw new InvalidInputException(
              "--optimizer: expected adam, adamw or sgd, found " + optimizer);
    };
  }

  private Decayed decayed() {
    return switch (weightDecayOn.toLowerCase(Locale.ROOT)) {
      case "all" -> Decayed.ALL;
      case "first" -> Decayed.FIRST_LAYER;
      default ->
          throw new InvalidInputException(
              "--weight-decay-on: expected all or first, found " + weightDecayOn);
    };
  }

  private Schedule schedule() {
    return switch (schedule.toLowerCase(Locale.ROOT)) {
      case "constant" -> new Schedule.Constant();
      case "step" -> new Schedule.Step(stepEvery, stepFactor);
      case "cosine" -> new Schedule.Cosine();
      default ->
          throw new InvalidInputException(
              "--schedule: expected constant, step or cosine, found " + schedule);
    };
  }
}
