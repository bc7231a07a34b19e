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
          "Folder to write; replaces earlier predictions, but never a folder with other files (default:"
              + " ${DEFAULT-VALUE}).")
  Path folder = Path.of("predictions");

  @Option(
      names = "--probabilities",
      description = "Add a column for each class, with its probability, to predictions.csv.")
  boolean probabilities;

  @Option(
      names = "--embeddings",
      description = "Also write the activations of the last hidden layer.")
  boolean embeddings;
}
