package dev.gossamer.cli.graph;

import picocli.CommandLine.Option;

/// The flag that records a trace of a training on a graph.
final class TraceOptions {
  @Option(
      names = "--trace",
      paramLabel = "K",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "5",
      description =
          "Write trace.json into the run's folder: what each rank computed and sent when, in the first K epochs"
              + " (${FALLBACK-VALUE} without a number; default: none). Opens in ui.perfetto.dev or chrome://tracing.")
  int epochs;
}
