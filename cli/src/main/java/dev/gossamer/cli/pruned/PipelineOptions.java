package dev.gossamer.cli.pruned;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.machine.MachineOptions;
import dev.gossamer.pruned.PrunedSettings;
import dev.gossamer.pruned.pipeline.BatchSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that divide an iteration among ranks and microbatches.
final class PipelineOptions {
  @Option(
      names = "--batch",
      paramLabel = "B",
      defaultValue = "" + BatchSettings.DEFAULT_BATCH,
      description = "Samples per iteration, of all ranks (default: ${DEFAULT-VALUE}).")
  int batch;

  @Option(
      names = "--microbatch",
      paramLabel = "N",
      defaultValue = "" + BatchSettings.DEFAULT_MICROBATCH,
      description =
          "Samples per microbatch; batch normalisation normalises them together (default: ${DEFAULT-VALUE}).")
  int microbatch;

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
          "Memory of a rank, as 8g or 500m, for --inter auto (default: an even share of --memory).")
  @Nullable String memoryPerRank;

  @Option(
      names = "--in-flight",
      paramLabel = "N",
      description =
          "Maximum microbatches in flight in a pipeline: fewer need less memory, more keep stages of varying speed"
              + " busy (default: two per stage).")
  @Nullable Integer inFlight;

  @Option(
      names = "--checkpoint-activations",
      description =
          "Store only the inputs of blocks and recompute the rest: less memory, more time.")
  boolean checkpoint;

  @Option(
      names = "--bucket",
      paramLabel = "BYTES",
      defaultValue = "1m",
      description =
          "Size of a bucket of gradients, which is summed over replicas during the backward pass of earlier blocks"
              + " (default: ${DEFAULT-VALUE}).")
  String bucket = "1m";

  @Option(
      names = "--clip",
      paramLabel = "NORM",
      defaultValue = "" + BatchSettings.DEFAULT_CLIP,
      description = "Maximum norm of the gradient; 0 for no limit (default: ${DEFAULT-VALUE}).")
  double clip;

  BatchSettings batches() {
    return new BatchSettings(
        batch, microbatch, inFlight, checkpoint, MachineOptions.bytes("--bucket", bucket), clip);
  }

  /// Returns the number of stages of the pipeline.
  int stages() {
    if (inter.equalsIgnoreCase("auto")) {
      return PrunedSettings.AUTOMATIC_STAGES;
    }
    if (!inter.matches("[0-9]{1,6}") || Integer.parseInt(inter) < 1) {
      throw new InvalidInputException(
          "--inter: expected a number of stages or auto, found " + inter);
    }
    return Integer.parseInt(inter);
  }

  /// Returns the maximum bytes of a rank; null for an even share.
  @Nullable Long memoryPerRank() {
    return memoryPerRank == null ? null : MachineOptions.bytes("--memory-per-rank", memoryPerRank);
  }
}
