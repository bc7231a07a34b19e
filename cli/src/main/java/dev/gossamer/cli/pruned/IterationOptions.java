package dev.gossamer.cli.pruned;

import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.IterationSettings.Keep;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of iterations: their number, evaluations and checkpoints.
final class IterationOptions {
  @Option(
      names = "--iterations",
      paramLabel = "N",
      defaultValue = "" + IterationSettings.DEFAULT_ITERATIONS,
      description = "Iterations of the whole run (default: ${DEFAULT-VALUE}).")
  int iterations;

  @Option(
      names = "--evaluate-every",
      paramLabel = "N",
      defaultValue = "" + IterationSettings.DEFAULT_EVALUATE_EVERY,
      description = "Iterations between two evaluations (default: ${DEFAULT-VALUE}).")
  int evaluateEvery;

  @Option(
      names = "--evaluate-samples",
      paramLabel = "N",
      defaultValue = "" + IterationSettings.DEFAULT_EVALUATE_SAMPLES,
      description = "Maximum validation samples per evaluation (default: ${DEFAULT-VALUE}).")
  long evaluateSamples;

  @Option(
      names = "--checkpoint-every",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Iterations between two checkpoints; 0 for one at the end or when interrupted (default: ${DEFAULT-VALUE}).")
  int checkpointEvery;

  @Option(
      names = "--keep",
      paramLabel = "WHICH",
      description =
          "Weights of the model: last, or best (smallest validation loss since the last pruning) (default: last; best"
              + " with --patience).")
  @Nullable Keep keep;

  @Option(
      names = "--patience",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Stop after this many evaluations without a smaller validation loss, counted once the"
              + " network is pruned; 0 for never (default: ${DEFAULT-VALUE}).")
  int patience;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Seed of weights, samples and dropout; results with the same seed are bit-identical (default:"
              + " ${DEFAULT-VALUE}).")
  long seed;

  IterationSettings settings() {
    return new IterationSettings(
        iterations, evaluateEvery, evaluateSamples, checkpointEvery, keep, patience);
  }
}
