package dev.gossamer.cli.pruned;

import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.IterationSettings.Keep;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of a run that counts iterations.
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
      description = "Validation samples per evaluation, at most (default: ${DEFAULT-VALUE}).")
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
          "Weights that the model has: last, or best (those with the smallest validation loss since"
              + " the network was pruned last) (default: last; best with --patience).")
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
          "Seed of weights, samples and dropout; the same seed gives the same bits (default: ${DEFAULT-VALUE}).")
  long seed;

  IterationSettings settings() {
    return new IterationSettings(
        iterations, evaluateEvery, evaluateSamples, checkpointEvery, keep, patience);
  }
}
