package dev.gossamer.cli.machine;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.settings.LoadsCode;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.run.LaunchSettings;
import dev.gossamer.run.RankLaunch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of a run over several ranks: threads of this process, or the processes that a launcher
/// such as `mpirun` has started.
public class LaunchOptions {
  @Option(
      names = "--ranks",
      paramLabel = "P",
      defaultValue = "1",
      description =
          "Number of ranks, as threads of this process (default: ${DEFAULT-VALUE}). Leave it out under mpirun.")
  public int ranks = 1;

  @Option(
      names = "--link",
      paramLabel = "ALPHA,BETA",
      description =
          "Simulate a network between ranks that are threads: time per message and per byte, as 30us,0.8ns. Each rank"
              + " has one outgoing and one incoming link, on which messages queue.")
  public @Nullable String link;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "1800",
      description =
          "Maximum time for which a rank may wait in one operation before the run fails (default: ${DEFAULT-VALUE}).")
  int timeout = 1800;

  @LoadsCode
  @Option(
      names = "--mpi-library",
      paramLabel = "LIBRARY",
      description = "MPI library to load under mpirun, by name or path (default: found by name).")
  @Nullable String mpiLibrary;

  /// Returns the ranks of the run: threads of this process, or the processes of a launcher.
  RankLaunch launch() {
    return launchSettings().launch();
  }

  /// Returns the settings of the flags.
  public LaunchSettings launchSettings() {
    return new LaunchSettings(ranks, threadOptions(), mpiOptions());
  }

  /// Returns the number of ranks of the run.
  public int size() {
    return launch().ranks();
  }

  /// Whether a launcher has started this process as one of several.
  public boolean isLaunched() {
    return launch().underLauncher();
  }

  /// Whether this process prints and writes: it runs rank 0.
  public boolean isFirstProcess() {
    return launch().isFirstProcess();
  }

  private MpiOptions mpiOptions() {
    return mpiLibrary == null ? MpiOptions.DEFAULT : MpiOptions.DEFAULT.withLibrary(mpiLibrary);
  }

  private ThreadOptions threadOptions() {
    if (timeout < 1) {
      throw new InvalidInputException("--timeout: expected at least 1, found " + timeout);
    }
    try {
      return new ThreadOptions(Duration.ofSeconds(timeout), link == null ? null : Link.parse(link));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--link: " + e.getMessage(), e);
    }
  }
}
