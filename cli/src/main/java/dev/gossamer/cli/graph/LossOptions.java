package dev.gossamer.cli.graph;

import dev.gossamer.Loss;
import dev.gossamer.LossSettings;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.ReadWith;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of what training minimises.
final class LossOptions {
  @Option(
      names = "--loss",
      paramLabel = "KIND",
      defaultValue = "auto",
      description =
          "Loss that training minimises: of classes cross-entropy or focal, in which vertices that are predicted well count"
              + " less; of several labels cross-entropy; of numbers squared, absolute or huber (default: cross-entropy or"
              + " squared).")
  String loss = "auto";

  @ReadWith("--loss focal")
  @Option(
      names = "--focal-gamma",
      paramLabel = "GAMMA",
      defaultValue = "" + Loss.Focal.DEFAULT_GAMMA,
      description = "Exponent of the focal loss (default: ${DEFAULT-VALUE}).")
  double focalGamma;

  @ReadWith("--loss huber")
  @Option(
      names = "--huber-delta",
      paramLabel = "DELTA",
      defaultValue = "" + Loss.Huber.DEFAULT_DELTA,
      description =
          "Error in standard deviations from which on the Huber loss is linear (default: ${DEFAULT-VALUE}).")
  double huberDelta;

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
      case "auto" -> new Loss.Auto();
      case "cross-entropy" -> new Loss.CrossEntropy();
      case "focal" -> new Loss.Focal(focalGamma);
      case "squared" -> new Loss.Squared();
      case "absolute" -> new Loss.Absolute();
      case "huber" -> new Loss.Huber(huberDelta);
      default ->
          throw new InvalidInputException(
              "--loss: expected auto, cross-entropy, focal, squared, absolute or huber, found "
                  + loss);
    };
  }
}
