package dev.gossamer.cli.pruned;

import dev.gossamer.pruned.OptimizerSettings;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the optimizer of a pruned network, and its schedule over iterations.
final class PrunedOptimizerOptions {
  @Option(
      names = "--optimizer",
      paramLabel = "KIND",
      description = "adam, adamw or sgd (default: adamw for texts, sgd with momentum for images).")
  @Nullable String optimizer;

  @Option(
      names = "--lr",
      paramLabel = "RATE",
      description = "Maximum learning rate (default: 0.001 for adam and adamw, 0.05 for sgd).")
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
          "Iterations in which the learning rate rises to --lr (default: a tenth of all, at most 50).")
  @Nullable Integer warmup;

  @Option(
      names = "--momentum",
      paramLabel = "MU",
      description = "Momentum of sgd (default: " + OptimizerSettings.DEFAULT_MOMENTUM + ").")
  @Nullable Double momentum;

  @Option(
      names = "--weight-decay",
      paramLabel = "WD",
      description =
          "Weight decay of matrices; biases and scales have none (default: 0.1 for adamw, 0.0005 for sgd).")
  @Nullable Double weightDecay;

  OptimizerSettings settings() {
    OptimizerSettings.Kind kind =
        optimizer == null ? null : OptimizerSettings.Kind.named(optimizer.toLowerCase(Locale.ROOT));
    return new OptimizerSettings(kind, rate, floor, warmup, momentum, weightDecay);
  }
}
