package dev.gossamer.cli.machine;

import dev.gossamer.base.InvalidInputException;
import picocli.CommandLine.Option;

/// Flags of a dry run, which only plans.
public final class DryRunOptions extends ClusterOptions {
  @Option(
      names = "--dry-run",
      description =
          "Print what the run would need: memory, bytes, messages and seconds of an epoch or iteration. Trains and"
              + " writes nothing.")
  public boolean dryRun;

  /// @throws InvalidInputException if a flag is given that only a dry run reads
  public void requireDryRun() {
    if (isOtherCluster() && !dryRun) {
      throw new InvalidInputException("--cluster: a flag of --dry-run; add that or leave it out");
    }
  }
}
