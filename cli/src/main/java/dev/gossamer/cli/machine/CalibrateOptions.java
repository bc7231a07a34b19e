package dev.gossamer.cli.machine;

import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.run.RankLaunch;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flag of a plan that measures instead.
public final class CalibrateOptions {
  @Option(
      names = "--calibrate",
      paramLabel = "FILE",
      arity = "0..1",
      fallbackValue = "",
      description =
          "Measure this machine in under two minutes, or under mpirun the cluster, and write a file for --cluster;"
              + " without FILE, the one that plans on this machine read. Plans nothing.")
  @Nullable String calibrate;

  public boolean isAsked() {
    return calibrate != null;
  }

  /// Returns the file to write; null for the cached calibration of this machine.
  public @Nullable Path file() {
    return calibrate == null || calibrate.isEmpty() ? null : Path.of(calibrate);
  }

  /// A single process, or those of a launcher.
  public RankLaunch launch() {
    return RankLaunch.of(1, ThreadOptions.DEFAULT, MpiOptions.DEFAULT);
  }
}
