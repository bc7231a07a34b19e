package dev.gossamer.cli.graph;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.partition.Balance;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the partitioner and its output.
final class PartitionOptions {
  @Option(
      names = {"-k", "--parts"},
      paramLabel = "K",
      description = "Number of parts.")
  @Nullable Integer parts;

  @Option(
      names = "--method",
      paramLabel = "NAME",
      defaultValue = "gvb",
      description = "Partitioning method, see below (default: ${DEFAULT-VALUE}).")
  String method = "gvb";

  @Option(
      names = "--vertex-imbalance",
      paramLabel = "E",
      defaultValue = "0.03",
      description =
          "A part has at most 1 + E times the average number of vertices; 'free' for no bound (default: ${DEFAULT-VALUE}).")
  String vertexImbalance = "0.03";

  @Option(
      names = "--nonzero-imbalance",
      paramLabel = "E",
      defaultValue = "0.05",
      description =
          "The same for nonzeros, which determine the work of a rank (default: ${DEFAULT-VALUE}).")
  String nonzeroImbalance = "0.05";

  @Option(
      names = "--train-imbalance",
      paramLabel = "E",
      defaultValue = "free",
      description = "The same for training vertices (default: ${DEFAULT-VALUE}).")
  String trainImbalance = "free";

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      description = "Part file to write (default: DATASET.part.K); the permutation is FILE.npy.")
  @Nullable Path out;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Do not partition; print the quality of the partition in this part file.")
  @Nullable Path report;

  @Option(
      names = "--estimate",
      description = "Do not partition; print the memory that partitioning would need.")
  boolean estimate;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Seed of the partitioner; the same seed gives the same parts (default: ${DEFAULT-VALUE}).")
  long seed;

  /// Returns how much parts may differ.
  Balance balance() {
    return new Balance(
        epsilon("--vertex-imbalance", vertexImbalance),
        epsilon("--nonzero-imbalance", nonzeroImbalance),
        epsilon("--train-imbalance", trainImbalance));
  }

  private static double epsilon(String flag, String text) {
    if (text.equalsIgnoreCase("free")) {
      return Balance.FREE;
    }
    if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      throw new InvalidInputException(
          "%s: expected a number of at least 0, as 0.05, or free, found %s".formatted(flag, text));
    }
    return Double.parseDouble(text);
  }
}
