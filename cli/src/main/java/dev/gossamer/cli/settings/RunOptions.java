package dev.gossamer.cli.settings;

import dev.gossamer.RunOutput;
import dev.gossamer.TrainingSettings;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/// Flags of the settings file and the folder of a training run.
public final class RunOptions {
  @Option(
      names = "--runs",
      paramLabel = "FOLDER",
      defaultValue = "runs",
      description = "Folder in which the run's folder is created (default: ${DEFAULT-VALUE}).")
  Path runs = Path.of("runs");

  @Option(
      names = Restart.FOLDER,
      paramLabel = "RUN",
      description = "Folder of the run itself, instead of a new one in --runs.")
  @Nullable Path folder;

  /// Read by [ConfigFile] before the other flags are.
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "YAML file with flags as keys (seed: 3); flags on the command line override it.")
  @Nullable Path config;

  /// Read by [ConfigFile] and [Restart] before the other flags are.
  @Option(
      names = Restart.RESUME,
      paramLabel = "RUN",
      description = {
        "Resume the run in this folder from its checkpoint; results are bit-identical to an uninterrupted run.",
        "auto: resume the run in --run-folder, or begin it if there is none yet, so that a scheduler can repeat the"
            + " command."
      })
  @Nullable Path resume;

  /// Checks the flags of a run that may be started again.
  ///
  /// @param first whether this process writes the folder
  /// @param checkpointEvery steps between two checkpoints
  /// @throws InvalidInputException if the run would overwrite another one, or begin again each time
  public void require(boolean first, int checkpointEvery) {
    if (isAutomatic() && checkpointEvery == 0) {
      throw new InvalidInputException(
          "--checkpoint-every: expected at least 1 with --resume auto, found 0, with which a killed run would begin again");
    }
    if (folder != null && resumed() != null) {
      throw new InvalidInputException(
          "--run-folder: expected --resume auto with it, or no --resume, found --resume " + resume);
    }
    if (first && folder != null && resume == null && new RunFolder(folder).isBegun()) {
      throw new InvalidInputException(
          "%s: expected a folder without a run, found one; add --resume auto to continue it, or name another folder"
              .formatted(folder));
    }
  }

  private boolean isAutomatic() {
    return resume != null && Restart.AUTO.equals(resume.toString());
  }

  /// Returns the folder of a run that is resumed; null for a new run. A run that [Restart] found
  /// begun is resumed by its folder.
  public @Nullable Path resumed() {
    return isAutomatic() ? null : resume;
  }

  /// Creates the folder of a new run.
  ///
  /// @param name of what is learned from
  /// @throws InvalidInputException if another run has begun in it since [#require]
  public RunFolder create(String name) {
    return folder == null ? RunFolder.create(runs, name) : RunFolder.newAt(folder);
  }

  /// Records in the folder of a new run what it was asked for, if its folder was named, so that
  /// [Restart] can compare.
  ///
  /// @param command that was parsed
  public void keepAsked(RunFolder of, CommandSpec command) {
    if (folder != null) {
      of.keepAsked(Restart.asked(command.commandLine()));
    }
  }

  /// Returns where the files of a run are written. A run that begins in a named folder after
  /// [Restart] found none there is another one, and refused.
  ///
  /// @param describe writes the settings into a new folder
  public RunOutput output(BiConsumer<RunFolder, TrainingSettings> describe) {
    Path resumed = resumed();
    if (resumed != null) {
      return RunOutput.resumed(resumed);
    }
    return (folder == null ? RunOutput.in(runs) : RunOutput.newAt(folder)).withPrepared(describe);
  }
}
