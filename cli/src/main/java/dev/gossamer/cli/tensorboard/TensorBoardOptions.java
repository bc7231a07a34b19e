package dev.gossamer.cli.tensorboard;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.cli.machine.DryRunOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flag that writes files for TensorBoard.
public final class TensorBoardOptions {
  @Option(
      names = "--tensorboard",
      paramLabel = "FOLDER",
      description =
          "Write files for TensorBoard into FOLDER/RUN during training: scores, times, distributions of weights and"
              + " settings, and vectors of vertices at the end. See them with 'tensorboard --logdir FOLDER'.")
  @Nullable Path folder;

  /// Checks the flag before anything is done.
  ///
  /// @param firstProcess whether this process is the one that writes
  /// @throws InvalidInputException if the folder cannot be written, or nothing is trained
  public void require(DryRunOptions planned, boolean firstProcess) {
    if (folder == null) {
      return;
    }
    if (planned.dryRun) {
      throw new InvalidInputException(
          "--tensorboard: expected a run that trains, found --dry-run; leave one of them out");
    }
    if (!firstProcess) {
      return;
    }
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new InvalidInputException(
          "--tensorboard: expected a folder, found the file %s".formatted(folder));
    }
    AtomicOutput.requireWritable(folder.resolve("events.out.tfevents"));
  }

  /// Returns whether files are wanted.
  public boolean isGiven() {
    return folder != null;
  }

  /// Returns the board of a run that is about to be planned; null if none is wanted.
  ///
  /// @param firstProcess whether this process is the one that writes
  /// @param steps of a run of full length
  public @Nullable Board open(boolean firstProcess, int steps) {
    return folder == null || !firstProcess ? null : new Board(folder, steps);
  }
}
