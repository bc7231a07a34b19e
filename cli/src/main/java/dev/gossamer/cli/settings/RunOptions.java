package dev.gossamer.cli.settings;

import dev.gossamer.RunOutput;
import dev.gossamer.TrainingSettings;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the settings file and the folder of a training run.
public final class RunOptions {
  @Option(
      names = "--runs",
      paramLabel = "FOLDER",
      defaultValue = "runs",
      description = "Folder in which the run's folder is created (default: ${DEFAULT-VALUE}).")
  public Path runs = Path.of("runs");

  /// Read by [ConfigFile] before the other flags are.
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "YAML file with flags as keys (seed: 3); flags on the command line override it.")
  @Nullable Path config;

  @Option(
      names = "--resume",
      paramLabel = "RUN",
      description =
          "Resume the run in this folder from its checkpoint; results are bit-identical to an uninterrupted run.")
  public @Nullable Path resume;

  /// Returns where the files of a run are written.
  ///
  /// @param describe writes the settings into a new folder
  public RunOutput output(BiConsumer<RunFolder, TrainingSettings> describe) {
    return resume == null ? RunOutput.in(runs).withPrepared(describe) : RunOutput.resumed(resume);
  }
}
