package dev.gossamer.cli.report;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;

/// A run at one moment, perhaps while another process trains.
///
/// @param run what its folder says
/// @param state whether it is going on
record WatchedRun(ReportedRun run, State state) {
  /// Whether a run is going on.
  enum State {
    /// Before the first step.
    PREPARING,
    /// A process trains.
    RUNNING,
    /// The model is written.
    FINISHED,
    /// Nobody trains, and the model is older than the last step, or there is none.
    STOPPED
  }

  /// Reads a folder.
  ///
  /// @throws InvalidInputException if there is no run in it, or one of its files is damaged
  static WatchedRun read(Path path) {
    RunFolder folder = RunFolder.openBegun(path);
    // The state first: what is read afterwards is at least as new.
    State state = state(folder);
    return new WatchedRun(ReportedRun.read(path), state);
  }

  private static State state(RunFolder folder) {
    if (!Files.exists(folder.metrics())) {
      return State.PREPARING;
    }
    if (MetricsFile.isOpen(folder.metrics())) {
      return State.RUNNING;
    }
    boolean finished =
        Files.exists(folder.model())
            && modified(folder.model()).compareTo(modified(folder.metrics())) >= 0;
    return finished ? State.FINISHED : State.STOPPED;
  }

  /// Returns the folder of the run whose files changed last.
  ///
  /// @param runs folder of runs
  /// @throws InvalidInputException if there is none
  static Path newest(Path runs) {
    try (Stream<Path> folders = Files.list(runs)) {
      return folders
          .filter(folder -> Files.exists(touched(folder)))
          .max(Comparator.comparing(folder -> modified(touched(folder))))
          .orElseThrow(() ->
              new InvalidInputException(
                  "%s: expected the folder of a run in it, found none".formatted(runs)));
    } catch (NoSuchFileException e) {
      throw new InvalidInputException(
          "%s: expected a folder of runs, found none; name the run, or its folder with --runs"
              .formatted(runs),
          e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(runs, e);
    } catch (UncheckedIOException e) {
      throw InvalidInputException.unreadable(runs, Objects.requireNonNull(e.getCause()));
    }
  }

  /// The file of a run that changes with each step, or before the first the one that it begins
  /// with; it does not exist in a folder of something else.
  private static Path touched(Path folder) {
    Path metrics = folder.resolve("metrics.jsonl");
    return Files.exists(metrics) ? metrics : folder.resolve("config.yaml");
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Number of completed steps.
  int done() {
    return run.metrics().steps().isEmpty() ? 0 : run.metrics().steps().getLast().number();
  }

  /// Number of steps that it will have at most; 0 if its settings do not say.
  int total() {
    return ReportedRun.wholeNumber(run.settings().get(run.unit() + "s"));
  }
}
