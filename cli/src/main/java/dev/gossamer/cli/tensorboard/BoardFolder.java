package dev.gossamer.cli.tensorboard;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/// The folder of a run beside those of other runs: named like the folder of the run, with a number
/// if another run has the name. The files of a run have a mark in their names, which follows from
/// the path of its folder. How the run ended is in a file of its own, because readers keep the
/// first end that they find, and a run that is resumed has another.
///
/// @param path of the folder
/// @param mark of the run
/// @param latest seconds in the name of the last event file; empty of a new folder
record BoardFolder(Path path, String mark, OptionalLong latest) {
  /// Of the file that says how a run ended: it follows that of the run in the order of names.
  private static final String END = ".end";

  private static final Pattern EVENTS =
      Pattern.compile("events\\.out\\.tfevents\\.([0-9]{10})\\.gossamer\\.([0-9a-f]{8})(\\.end)?");

  /// Finds the folder of a run, or makes one.
  ///
  /// @param parent made if it does not exist
  /// @param run folder of the run
  /// @throws InvalidInputException if it cannot be written
  static BoardFolder of(Path parent, Path run) {
    try {
      Path real = run.toRealPath();
      String mark = mark(real);
      Files.createDirectories(parent);
      for (int number = 1; ; number++) {
        String name = String.valueOf(real.getFileName());
        Path path = parent.resolve(number == 1 ? name : name + "-" + number);
        if (made(path)) {
          return new BoardFolder(path, mark, OptionalLong.empty());
        }
        OptionalLong latest = latest(path, mark);
        if (latest.isPresent()) {
          return new BoardFolder(path, mark, latest);
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.unwritable(parent, e);
    }
  }

  private static String mark(Path run) {
    CRC32C checksum = new CRC32C();
    checksum.update(run.toString().getBytes(StandardCharsets.UTF_8));
    return String.format(Locale.ROOT, "%08x", checksum.getValue());
  }

  /// @return false if something has the name
  private static boolean made(Path path) throws IOException {
    try {
      Files.createDirectory(path);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  private static OptionalLong latest(Path path, String mark) throws IOException {
    return files(path, mark).keySet().stream()
        .mapToLong(name -> Long.parseLong(name.group(1)))
        .max();
  }

  /// The event files of a run in a folder, by their names.
  private static Map<MatchResult, Path> files(Path path, String mark) throws IOException {
    if (!Files.isDirectory(path)) {
      return Map.of();
    }
    Map<MatchResult, Path> found = new HashMap<>();
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        Matcher name = EVENTS.matcher(String.valueOf(file.getFileName()));
        if (name.matches() && name.group(2).equals(mark)) {
          found.put(name.toMatchResult(), file);
        }
      }
    }
    return found;
  }

  /// Removes what was written of an earlier end of the run, which goes on now.
  ///
  /// @throws InvalidInputException if it cannot be removed
  void removeEnd() {
    try {
      for (Map.Entry<MatchResult, Path> file : files(path, mark).entrySet()) {
        if (file.getKey().group(3) != null) {
          Files.delete(file.getValue());
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.unwritable(path, e);
    }
  }

  /// Whether the run has no event files yet.
  boolean isNew() {
    return latest.isEmpty();
  }

  /// Returns the name of the next event file, which comes after the others in the order of names.
  Path next() {
    long now = System.currentTimeMillis() / 1000;
    long seconds = latest.isPresent() ? Math.max(now, latest.getAsLong() + 1) : now;
    return path.resolve(
        String.format(Locale.ROOT, "events.out.tfevents.%010d.gossamer.%s", seconds, mark));
  }

  /// Returns the name of the file that says how a run ended.
  ///
  /// @param events the last event file of its steps
  static Path endOf(Path events) {
    return events.resolveSibling(events.getFileName() + END);
  }
}
