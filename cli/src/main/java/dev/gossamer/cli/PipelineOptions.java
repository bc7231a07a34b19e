package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.pruned.pipeline.Grid;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that say how an iteration is divided among ranks and microbatches.
final class PipelineOptions {
  @Option(
      names = "--batch",
      paramLabel = "B",
      defaultValue = "16",
      description = "Samples of an iteration, of all ranks (default: ${DEFAULT-VALUE}).")
  int batch = 16;

  @Option(
      names = "--microbatch",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "Samples that go through a stage at a time; batch normalisation normalises them together"
              + " (default: ${DEFAULT-VALUE}).")
  int microbatch = 4;

  @Option(
      names = "--inter",
      paramLabel = "N|auto",
      defaultValue = "1",
      description =
          "Stages of the pipeline; the other ranks share the batch. auto: the fewest whose ranks stay"
              + " within --memory-per-rank (default: ${DEFAULT-VALUE}).")
  String inter = "1";

  @Option(
      names = "--memory-per-rank",
      paramLabel = "BYTES",
      description =
          "What a rank may take, as 8g or 500m, for --inter auto (default: an even share of --memory).")
  @Nullable String memoryPerRank;

  @Option(
      names = "--in-flight",
      paramLabel = "N",
      description =
          "Microbatches of a pipeline that have begun and not ended, at most: fewer take less memory, more"
              + " keep stages busy whose speed varies (default: two a stage).")
  @Nullable Integer inFlight;

  @Option(
      names = "--checkpoint-activations",
      description =
          "Keep the inputs of blocks alone, and compute the rest again: less memory, more time.")
  boolean checkpoint;

  @Option(
      names = "--bucket",
      paramLabel = "BYTES",
      defaultValue = "1m",
      description =
          "Gradients that are summed over replicas together, while earlier blocks go backwards"
              + " (default: ${DEFAULT-VALUE}).")
  String bucket = "1m";

  @Option(
      names = "--clip",
      paramLabel = "NORM",
      defaultValue = "1",
      description = "Largest norm of the gradient; 0 for any (default: ${DEFAULT-VALUE}).")
  double clip = 1;

  boolean isAutomatic() {
    return inter.equals("auto");
  }

  /// The grid that the flags ask for.
  ///
  /// @throws InvalidInputException if the stages do not divide the ranks
  Grid grid(int ranks) {
    if (!inter.matches("[0-9]{1,6}") || Integer.parseInt(inter) < 1) {
      throw new InvalidInputException(
          "--inter: expected a number of stages or auto, found " + inter);
    }
    int stages = Integer.parseInt(inter);
    if (ranks % stages != 0) {
      throw new InvalidInputException(
          "--inter: expected a divisor of %d ranks, found %d".formatted(ranks, stages));
    }
    return new Grid(stages, ranks / stages);
  }

  PipelineSettings settings(Grid grid, long seed) {
    try {
      return new PipelineSettings(
          grid,
          batch,
          microbatch,
          inFlight == null ? PipelineSettings.usualInFlight(grid) : inFlight,
          checkpoint,
          MachineOptions.bytes("--bucket", bucket),
          clip,
          seed);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--" + e.getMessage(), e);
    }
  }

  /// Bytes that a rank may take.
  ///
  /// @param share of this process' memory that is a rank's
  long memoryPerRank(long share) {
    return memoryPerRank == null ? share : MachineOptions.bytes("--memory-per-rank", memoryPerRank);
  }
}
