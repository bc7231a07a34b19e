package dev.gossamer.cli.graph;

import dev.gossamer.Loss;
import dev.gossamer.LossSettings;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.settings.ReadWith;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of what training minimises.
final class LossOptions {
  @Option(
      names = "--loss",
      paramLabel = "KIND",
      defaultValue = "cross-entropy",
      description =
          "Loss that training minimises: cross-entropy, or focal, in which vertices that are predicted well count less"
              + " (default: ${DEFAULT-VALUE}).")
  String loss = "cross-entropy";

  @ReadWith("--loss focal")
  @Option(
      names = "--focal-gamma",
      paramLabel = "GAMMA",
      defaultValue = "" + Loss.Focal.DEFAULT_GAMMA,
      description = "Exponent of the focal loss (default: ${DEFAULT-VALUE}).")
  double focalGamma;

  @Option(
      names = "--label-smoothing",
      paramLabel = "SHARE",
      defaultValue = "0",
      description = "Part of each label that all classes share (default: ${DEFAULT-VALUE}).")
  double labelSmoothing;

  @Option(
      names = "--class-weights",
      paramLabel = "WEIGHTS",
      description =
          "Weights of the classes in the loss: balanced (inverse to their number of training vertices), or a CSV file with a"
              + " line class,weight for each (default: equal weights).")
  @Nullable String classWeights;

  /// Returns the settings of the flags.
  LossSettings settings() {
    return new LossSettings(loss(), labelSmoothing, classWeights);
  }

  private Loss loss() {
    return switch (loss.toLowerCase(Locale.ROOT)) {
      case "cross-entropy" -> new Loss.CrossEntropy();
      case "focal" -> new Loss.Focal(focalGamma);
      default ->
          throw new InvalidInputException("--loss: expected cross-entropy or focal, found " + loss);
    };
  }
}
