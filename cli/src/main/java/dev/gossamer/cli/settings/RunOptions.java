package dev.gossamer.cli.settings;

import dev.gossamer.RunOutput;
import dev.gossamer.TrainingSettings;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that say where a training run's settings come from and where its files go.
public final class RunOptions {
  @Option(
      names = "--runs",
      paramLabel = "FOLDER",
      defaultValue = "runs",
      description = "Where the run's folder is made (default: ${DEFAULT-VALUE}).")
  public Path runs = Path.of("runs");

  /// Read by [ConfigFile] before the other flags are.
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "YAML file with flags as keys (seed: 3); flags on the command line win.")
  @Nullable Path config;

  @Option(
      names = "--resume",
      paramLabel = "RUN",
      description =
          "Resume the run in this folder from its checkpoint; results are bit-identical to an uninterrupted run.")
  public @Nullable Path resume;

  /// Where a run's files go.
  ///
  /// @param describe writes the settings into a new folder
  public RunOutput output(BiConsumer<RunFolder, TrainingSettings> describe) {
    return resume == null ? RunOutput.in(runs).withPrepared(describe) : RunOutput.resumed(resume);
  }
}
