package dev.gossamer.benchmarks;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The papers' tables and figures beside what the planner and the trainers say here
/// (`docs/validation.md`).
@Command(
    name = "validation",
    mixinStandardHelpOptions = true,
    subcommands = {
      SparsityAwareFigures.class,
      MultiGpuFigures.class,
      PrunedFigures.class,
      BulkSamplingFigures.class,
      ClusterMinibatches.class,
      MeasuredExchange.class,
      ChoiceComparison.class
    })
public final class ValidationComparison {
  private ValidationComparison() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new ValidationComparison()).execute(arguments));
  }
}
