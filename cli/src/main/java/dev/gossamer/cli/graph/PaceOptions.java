package dev.gossamer.cli.graph;

import dev.gossamer.LearningSettings;
import dev.gossamer.run.Metric;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of epochs: their number, evaluations and checkpoints.
final class PaceOptions {
  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "150",
      description = "Maximum epochs (default: ${DEFAULT-VALUE}).")
  int epochs;

  @Option(
      names = "--select-by",
      paramLabel = "METRIC",
      description =
          "Validation score by which the weights of the best epoch are kept: ${COMPLETION-CANDIDATES} (default: accuracy of"
              + " classes, micro-f1 of several labels, rmse of numbers, mrr of edges).")
  @Nullable Metric selectBy;

  @Option(
      names = "--patience",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Stop after this many epochs without a better validation score (--select-by); 0 for never (default: ${DEFAULT-VALUE}).")
  int patience;

  @Option(
      names = "--evaluate-every",
      paramLabel = "N",
      defaultValue = "1",
      description = "Epochs between two evaluations (default: ${DEFAULT-VALUE}).")
  int evaluateEvery;

  @Option(
      names = "--checkpoint-every",
      paramLabel = "N",
      defaultValue = "50",
      description =
          "Epochs between two checkpoints; 0 writes one only when interrupted (default: ${DEFAULT-VALUE}).")
  int checkpointEvery;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Seed of weights and dropout; results with the same seed are bit-identical (default: ${DEFAULT-VALUE}).")
  long seed;

  /// Returns the settings of the flags.
  LearningSettings.Pace pace() {
    return new LearningSettings.Pace(epochs, selectBy, patience, evaluateEvery, checkpointEvery);
  }
}
