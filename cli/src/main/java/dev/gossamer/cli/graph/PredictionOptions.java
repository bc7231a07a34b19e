package dev.gossamer.cli.graph;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/// Flags of the files of predictions.
final class PredictionOptions {
  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      defaultValue = "predictions",
      description =
          "Folder to write; earlier predictions are replaced, a folder with other files never (default: ${DEFAULT-VALUE}).")
  Path folder = Path.of("predictions");

  @Option(
      names = "--probabilities",
      description = "Give predictions.csv a column for each class, with its probability.")
  boolean probabilities;

  @Option(
      names = "--embeddings",
      description = "Also write the activations of the last hidden layer.")
  boolean embeddings;
}
