package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// The files of a folder, by name without a `.gz` suffix. Hidden files and subfolders are ignored.
///
/// @param files in the order of their names
record Folder(Path path, List<Path> files) {
  Folder {
    files = List.copyOf(files);
  }

  /// @throws InvalidInputException if the folder cannot be read, or has a file twice, packed and
  ///   unpacked
  static Folder of(Path path) {
    try (Stream<Path> entries = Files.list(path)) {
      List<Path> files =
          entries
              .filter(Files::isRegularFile)
              .filter(file -> !name(file).startsWith("."))
              .sorted(Comparator.comparing(Folder::name).thenComparing(Comparator.naturalOrder()))
              .toList();
      for (int i = 1; i < files.size(); i++) {
        if (name(files.get(i)).equals(name(files.get(i - 1)))) {
          throw new InvalidInputException(
              "%s: expected each file once, found %s and %s; remove one of them"
                  .formatted(path, files.get(i - 1).getFileName(), files.get(i).getFileName()));
        }
      }
      return new Folder(path, files);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  static String name(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".gz") ? name.substring(0, name.length() - ".gz".length()) : name;
  }

  /// Returns the files whose names match a regular expression, ignoring case.
  List<Path> matching(String regex) {
    return files.stream()
        .filter(file -> name(file).toLowerCase(Locale.ROOT).matches(regex))
        .toList();
  }

  /// Returns the only file whose name matches.
  ///
  /// @param usual its usual name, for the message
  /// @throws InvalidInputException if there is none, or there are several
  Path the(String regex, String usual) {
    List<Path> found = matching(regex);
    if (found.size() != 1) {
      throw new InvalidInputException(
          "%s: expected one file %s or %s.gz, found %s"
              .formatted(
                  path,
                  usual,
                  usual,
                  found.isEmpty()
                      ? "none"
                      : String.join(", ", found.stream().map(Folder::name).toList())));
    }
    return found.getFirst();
  }
}
