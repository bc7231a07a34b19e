package dev.gossamer.graph.format;

import dev.gossamer.matrix.io.InputFile;
import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/// The file `SHA256SUMS` of a data set folder: a line `SHA-256 NAME` for each of its other files,
/// as `sha256sum -c` reads it. It says which files belong to the data set and what is in them, the
/// labels, the split and `dataset.json` among them.
final class Checksums {
  static final String FILE = "SHA256SUMS";

  private static final String LINE = "[0-9a-f]{64}  [A-Za-z0-9][A-Za-z0-9_.-]*";
  private static final int DIGITS = 64;
  private static final int LONGEST = 1 << 16;

  private final Path folder;
  private final Map<String, String> sums;

  private Checksums(Path folder, Map<String, String> sums) {
    this.folder = folder;
    this.sums = sums;
  }

  /// Writes the sums of all files of a folder.
  static void write(Path folder) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path file : Datasets.filesIn(folder)) {
      text.append(InputFile.of(file).sha256()).append("  ").append(file.getFileName()).append('\n');
    }
    Files.writeString(folder.resolve(FILE), text);
  }

  /// Whether a folder has sums: those that other programs made have none.
  static boolean in(Path folder) {
    return Files.exists(folder.resolve(FILE), LinkOption.NOFOLLOW_LINKS);
  }

  /// @throws InvalidInputException if the file is not there, or is not what [#write] writes
  static Checksums read(Path folder) {
    Path file = folder.resolve(FILE);
    Map<String, String> sums = new TreeMap<>();
    int number = 0;
    for (String line : InputFile.of(file).text(LONGEST).lines().toList()) {
      number++;
      if (!line.matches(LINE)) {
        throw new InvalidInputException(
            "%s: line %d: expected a SHA-256 of 64 digits, two blanks and the name of a file, found"
                    .formatted(file, number)
                + " '%s'".formatted(line.length() <= 80 ? line : line.substring(0, 80) + "..."));
      }
      sums.put(line.substring(DIGITS + 2), line.substring(0, DIGITS));
    }
    return new Checksums(folder, sums);
  }

  /// Checks that all files are there.
  ///
  /// @throws InvalidInputException naming one that is not
  Checksums requireFiles() {
    for (String name : sums.keySet()) {
      if (!Files.exists(folder.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
        throw new InvalidInputException(
            "%s: expected a file, as %s lists it, found none; if the data set shall be without it, take it from %s"
                .formatted(folder.resolve(name), FILE, FILE));
      }
    }
    return this;
  }

  /// Compares the files of at most so many bytes with their sums.
  ///
  /// @throws InvalidInputException naming one that differs, or is not listed
  void check(long most) {
    requireFiles();
    for (Path path : Datasets.filesIn(folder)) {
      String name = String.valueOf(path.getFileName());
      String expected = sums.get(name);
      InputFile file = InputFile.of(path);
      if (name.equals(FILE) || (expected != null && file.size() > most)) {
        continue;
      }
      if (expected == null) {
        throw new InvalidInputException(
            "%s: expected the files that %s lists, found another".formatted(path, FILE));
      }
      String found = file.sha256();
      if (!found.equals(expected)) {
        throw new InvalidInputException(
            "%s: expected the content that %s lists, SHA-256 %s, found %s; it was changed or damaged"
                .formatted(path, FILE, expected, found));
      }
    }
  }
}
