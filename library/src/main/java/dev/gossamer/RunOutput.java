package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// What a training writes.
///
/// @param parent of the new run folder; null for none
/// @param resumed run folder to resume; null for a new run
/// @param named folder of the run itself; null for none
/// @param resumable whether a run in `named` is resumed rather than refused
/// @param trace number of epochs whose kernels and messages `trace.json` records; 0 for none
/// @param prepared called once a new run folder exists, before training, with the settings of the
///   run, in which all automatic choices are made
public record RunOutput(
    @Nullable Path parent,
    @Nullable Path resumed,
    @Nullable Path named,
    boolean resumable,
    int trace,
    BiConsumer<RunFolder, TrainingSettings> prepared) {
  /// Nothing.
  public static final RunOutput NONE = new RunOutput(null, null, null, false, 0, (_, _) -> {});

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if the number of traced epochs is negative
  public RunOutput {
    InvalidSettingException.requireAtLeast("trace", trace, 0);
  }

  /// Writes a new run folder `PARENT/TIME-NAME`.
  ///
  /// @param parent made if it does not exist
  /// @return the output
  public static RunOutput in(Path parent) {
    return new RunOutput(parent, null, null, false, 0, (_, _) -> {});
  }

  /// Resumes the run in a folder.
  ///
  /// @param folder of the run
  /// @return the output
  public static RunOutput resumed(Path folder) {
    return new RunOutput(null, folder, null, false, 0, (_, _) -> {});
  }

  /// Resumes the run in a folder or, if there is none, begins it in exactly this folder: a program
  /// that is started again until its run has ended. What is chosen automatically is chosen only at
  /// the beginning and must be set afterwards.
  ///
  /// @param folder of the run, the same on all machines; made if it does not exist
  /// @return the output
  public static RunOutput at(Path folder) {
    return new RunOutput(null, null, folder, true, 0, (_, _) -> {});
  }

  /// Begins a run in exactly this folder. One in which a run has begun by the time that training
  /// would write to it is refused.
  ///
  /// @param folder of the run, the same on all machines; made if it does not exist
  /// @return the output
  public static RunOutput newAt(Path folder) {
    return new RunOutput(null, null, folder, false, 0, (_, _) -> {});
  }

  /// Returns a copy with another number of traced epochs.
  ///
  /// @param epochs 0 for none
  /// @return the changed copy
  public RunOutput withTrace(int epochs) {
    return new RunOutput(parent, resumed, named, resumable, epochs, prepared);
  }

  /// Returns a copy with another callback for the folder.
  ///
  /// @param listener called before training
  /// @return the changed copy
  public RunOutput withPrepared(BiConsumer<RunFolder, TrainingSettings> listener) {
    return new RunOutput(parent, resumed, named, resumable, trace, listener);
  }

  /// Whether a folder is written.
  boolean isWritten() {
    return parent != null || resumed != null || named != null;
  }

  /// Whether the run has begun before.
  boolean isBegun() {
    return resumed != null || (named != null && resumable && new RunFolder(named).isBegun());
  }

  /// The folder of the run on this process: on other processes than the first, that of a resumed or
  /// named run or none.
  ///
  /// @param name of what is learned from
  /// @param settings of the run, with all that was chosen
  @Nullable RunFolder folder(String name, TrainingSettings settings) {
    if (resumed != null) {
      return RunFolder.openBegun(resumed);
    }
    if (named != null) {
      boolean begins = settings.ranks().launch().isFirstProcess() && !isBegun();
      RunFolder folder = begins ? RunFolder.newAt(named) : RunFolder.at(named);
      if (begins) {
        prepared.accept(folder, settings);
      }
      return folder;
    }
    if (parent == null || !settings.ranks().launch().isFirstProcess()) {
      return null;
    }
    RunFolder folder = RunFolder.create(parent, name);
    prepared.accept(folder, settings);
    return folder;
  }
}
