package dev.gossamer.cli;

import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.RankBody;
import dev.gossamer.comm.ThreadOptions;
import dev.gossamer.comm.ThreadRanks;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.run.memory.SystemCores;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of a run over several ranks: threads of this process, or the processes that a launcher
/// such as `mpirun` has started.
class LaunchOptions {
  @Option(
      names = "--ranks",
      paramLabel = "P",
      defaultValue = "1",
      description =
          "Ranks, as threads of this process (default: ${DEFAULT-VALUE}). mpirun needs no flag.")
  int ranks = 1;

  @Option(
      names = "--link",
      paramLabel = "ALPHA,BETA",
      description =
          "Imitate a network between ranks that are threads: time per message and per byte, as 30us,0.8ns.")
  @Nullable String link;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "1800",
      description =
          "A rank that waits longer in one operation ends the run (default: ${DEFAULT-VALUE}).")
  int timeout = 1800;

  @LoadsCode
  @Option(
      names = "--mpi-library",
      paramLabel = "LIBRARY",
      description = "MPI library to load under mpirun, by name or path (default: found by name).")
  @Nullable String mpiLibrary;

  private final LaunchEnvironment environment = LaunchEnvironment.detect(System.getenv());

  boolean underLauncher() {
    return environment.isParallel();
  }

  /// Ranks of the run, wherever they run.
  int size() {
    if (ranks < 1) {
      throw new InvalidInputException("--ranks: expected at least 1, found " + ranks);
    }
    if (underLauncher() && ranks != 1) {
      throw new InvalidInputException(
          "--ranks: expected none under a launcher that has started %d processes, found %d"
              .formatted(environment.size(), ranks));
    }
    return underLauncher() ? environment.size() : ranks;
  }

  /// Processes of the run on this machine.
  int processesHere() {
    return environment.here();
  }

  /// Whether this process prints and writes: it runs rank 0.
  boolean isFirstProcess() {
    return !underLauncher() || environment.rank() == 0;
  }

  ThreadOptions threadOptions() {
    if (timeout < 1) {
      throw new InvalidInputException("--timeout: expected at least 1, found " + timeout);
    }
    try {
      return new ThreadOptions(Duration.ofSeconds(timeout), link == null ? null : Link.parse(link));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--link: " + e.getMessage(), e);
    }
  }

  /// Runs the body on every rank of this process.
  void run(ThreadOptions threadOptions, RankBody body) {
    if (underLauncher()) {
      // More ranks than cores, and a rank that waits inside a call of MPI keeps the core that the
      // one it waits for needs.
      boolean crowded = environment.here() > SystemCores.online();
      MpiOptions options =
          MpiOptions.DEFAULT.withTimeout(threadOptions.timeout()).withOneThreadAtATime(crowded);
      MpiRanks.run(
          environment, mpiLibrary == null ? options : options.withLibrary(mpiLibrary), body);
    } else {
      ThreadRanks.run(size(), threadOptions, body);
    }
  }
}
