package dev.gossamer.cli;

import picocli.CommandLine.Option;

/// Flags that say what else becomes of a run of a pruned network.
final class PlanOptions {
  @Option(
      names = "--plan",
      description =
          "Print memory per rank and seconds per iteration for each number of stages, and train nothing. --data"
              + " is opened for its tokens or images; without, the model's usual ones are assumed.")
  boolean plan;

  @Option(
      names = "--trace",
      paramLabel = "K",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "5",
      description =
          "Write trace.json into the run's folder: which microbatch each stage worked on when, in the first K"
              + " iterations (${FALLBACK-VALUE} without a number; default: none). Opens in ui.perfetto.dev.")
  int trace;
}
