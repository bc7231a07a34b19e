package dev.gossamer.cli.machine;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.run.memory.SystemCores;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flag of the number of threads.
public class ThreadsOptions {
  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads (default: one per core). The result does not depend on it.")
  public @Nullable Integer threads;

  /// Threads of this process.
  ///
  /// @param processes of the run on this machine, which share its cores
  public int threads(int processes) {
    int count = threads == null ? SystemCores.share(processes) : threads;
    if (count < 1) {
      throw new InvalidInputException("--threads: expected at least 1, found " + count);
    }
    return count;
  }
}
