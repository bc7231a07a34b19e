package dev.gossamer.base.io;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The file `SHA256SUMS` of a folder that [AtomicOutput] wrote: a line `SHA-256 NAME` for each of
/// its other files, in the format of `sha256sum -c`. It lists the files of the output and
/// identifies their content. Immutable.
public final class Checksums {
  /// The name of the file.
  public static final String FILE = "SHA256SUMS";

  private static final String LINE = "[0-9a-f]{64}  [A-Za-z0-9][A-Za-z0-9_.-]*";
  private static final int DIGITS = 64;
  private static final int LONGEST = 1 << 24;

  private final Path folder;
  private final Map<String, String> sums;

  private Checksums(Path folder, Map<String, String> sums) {
    this.folder = folder;
    this.sums = sums;
  }

  /// Writes the checksums of all files of a folder.
  static void write(Path folder) throws IOException {
    String text =
        entries(folder).parallelStream()
            .map(file -> "%s  %s\n".formatted(InputFile.of(file).sha256(), file.getFileName()))
            .collect(Collectors.joining());
    Files.writeString(folder.resolve(FILE), text);
  }

  /// {@return whether a folder has checksums; folders of other programs have none}
  ///
  /// @param folder the folder
  public static boolean in(Path folder) {
    return Files.exists(folder.resolve(FILE), LinkOption.NOFOLLOW_LINKS);
  }

  /// Reads the checksums of a folder, but not its other files.
  ///
  /// @param folder the folder
  /// @return its checksums
  /// @throws InvalidInputException if the file does not exist or is invalid
  public static Checksums read(Path folder) {
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
      String sum = line.substring(0, DIGITS);
      String name = line.substring(DIGITS + 2);
      if (!sum.equals(Objects.requireNonNullElse(sums.put(name, sum), sum))) {
        throw new InvalidInputException(
            "%s: line %d: expected one SHA-256 for each file, found a second one for %s"
                .formatted(file, number, name));
      }
    }
    return new Checksums(folder, sums);
  }

  /// {@return the names of the files that are listed}
  public Set<String> names() {
    return Set.copyOf(sums.keySet());
  }

  /// Checks that all files exist.
  ///
  /// @return this
  /// @throws InvalidInputException naming a missing file
  public Checksums requireFiles() {
    for (String name : sums.keySet()) {
      if (!Files.exists(folder.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
        throw new InvalidInputException(
            "%s: expected a file, as %s lists it, found none; if you removed it on purpose, remove its line from %s"
                .formatted(folder.resolve(name), FILE, FILE));
      }
    }
    return this;
  }

  /// Compares files of at most this number of bytes with their checksums.
  ///
  /// @param most maximum bytes of a file to read
  /// @param added names of files that may have been added since the list was written
  /// @throws InvalidInputException naming a file that differs, or is not listed
  public void check(long most, Set<String> added) {
    requireFiles();
    for (Path path : listed()) {
      String name = String.valueOf(path.getFileName());
      String expected = sums.get(name);
      if (name.equals(FILE) || !Files.isRegularFile(path)) {
        continue;
      }
      if (expected == null && added.contains(name)) {
        continue;
      }
      if (expected == null) {
        throw new InvalidInputException(
            "%s: expected the files that %s lists, found another".formatted(path, FILE));
      }
      InputFile file = InputFile.of(path);
      if (file.size() > most) {
        continue;
      }
      String found = file.sha256();
      if (!found.equals(expected)) {
        throw new InvalidInputException(
            "%s: expected the content that %s lists, SHA-256 %s, found %s; it was changed or damaged"
                .formatted(path, FILE, expected, found));
      }
    }
  }

  private List<Path> listed() {
    try {
      return entries(folder);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(folder, e);
    }
  }

  /// Returns the entries of a folder, by name.
  static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    }
  }
}
