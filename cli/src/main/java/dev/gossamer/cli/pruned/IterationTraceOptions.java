package dev.gossamer.cli.pruned;

import picocli.CommandLine.Option;

/// The flag that records iterations of a pruned network on a timeline.
final class IterationTraceOptions {
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
