package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import picocli.CommandLine.Option;

/// Flags of a dry run, which only plans.
final class DryRunOptions extends ClusterOptions {
  @Option(
      names = "--dry-run",
      description =
          "Say what the run would do: memory, bytes, messages and seconds of an epoch or iteration. Trains and writes nothing.")
  boolean dryRun;

  /// @throws InvalidInputException if a flag is given that only a dry run reads
  void requireDryRun() {
    if (isOtherCluster() && !dryRun) {
      throw new InvalidInputException("--cluster: a flag of --dry-run; add that or leave it out");
    }
  }
}
