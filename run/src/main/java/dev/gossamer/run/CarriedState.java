package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// State that each rank carries from one epoch to the next, in addition to weights and optimizer,
/// which are the same on all ranks: its part of a checkpoint, in a separate file.
public interface CarriedState {
  /// A file of a checkpoint.
  ///
  /// @param name in the checkpoint's folder
  /// @param sha256 of the file, hexadecimal
  record File(String name, String sha256) {}

  /// Writes the state of all ranks, each to a file that bears the epoch in its name. Collective,
  /// between two epochs.
  ///
  /// @param folder on the first rank; null if no checkpoint is written
  /// @param epochs done
  /// @return on the first rank one file per rank, in their order; on others none
  List<File> write(@Nullable CheckpointFolder folder, int epochs);

  /// {@return this rank's number, which is the index of its file}
  int rank();

  /// {@return number of ranks}
  int ranks();

  /// Restores the state from this rank's file. Local.
  ///
  /// @param file that is complete
  /// @throws InvalidInputException if it belongs to another run
  void read(Path file);
}
