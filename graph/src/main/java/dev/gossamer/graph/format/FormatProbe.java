package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Access to a file or folder before its format is known: its name, the names in a folder, and the
/// first bytes and the first line of a file. Each is read once. Not thread-safe.
public final class FormatProbe {
  private static final int HEAD = 512;

  /// A first line is read up to here: binary data may have no end of a line for gigabytes.
  private static final int LONGEST_LINE = 1 << 16;

  private final Path path;
  private final boolean folder;
  private final List<String> files;
  private final String head;
  private @Nullable String firstLine;

  private FormatProbe(Path path, boolean folder, List<String> files, String head) {
    this.path = path;
    this.folder = folder;
    this.files = files;
    this.head = head;
  }

  /// Probes a file or folder.
  ///
  /// @param path a file or folder
  /// @return the probe
  /// @throws InvalidInputException if it cannot be read, or is an empty file
  public static FormatProbe of(Path path) {
    Objects.requireNonNull(path, "path");
    if (!Files.exists(path)) {
      throw new InvalidInputException("%s: cannot read: no such file or folder".formatted(path));
    }
    if (Files.isDirectory(path)) {
      List<String> files =
          Datasets.filesIn(path).stream().map(file -> String.valueOf(file.getFileName())).toList();
      return new FormatProbe(path, true, files, "");
    }
    try (InputStream in = InputFile.of(path).stream()) {
      byte[] head = in.readNBytes(HEAD);
      if (head.length == 0) {
        throw new InvalidInputException(
            "%s: expected a graph, found an empty file".formatted(path));
      }
      return new FormatProbe(path, false, List.of(), new String(head, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  /// {@return the file or folder}
  public Path path() {
    return path;
  }

  /// {@return the name of the file or folder}
  public String name() {
    return String.valueOf(path.getFileName());
  }

  /// {@return whether it is a folder}
  public boolean isFolder() {
    return folder;
  }

  /// {@return the names of the files in a folder, ascending; empty for a file}
  public List<String> files() {
    return files;
  }

  /// {@return whether a folder has a file}
  ///
  /// @param relative its path in the folder: `raw/edge.csv.gz`
  public boolean hasFile(String relative) {
    return folder && Files.isRegularFile(path.resolve(relative));
  }

  /// {@return whether a file starts with these bytes, before gunzipping}
  ///
  /// @param bytes at most 512 characters, each below 256 and one byte
  public boolean startsWith(String bytes) {
    return head.startsWith(bytes);
  }

  /// {@return the first line of a file, gunzipped if necessary, without its line end, a byte order
  /// mark and blanks at its ends, and up to 64 KiB; empty for a folder}
  ///
  /// @throws InvalidInputException if the file is damaged or empty gzip data
  public String firstLine() {
    if (folder) {
      return "";
    }
    String line = firstLine;
    if (line == null) {
      try (FieldScanner in = new FieldScanner(path)) {
        if (!in.nextLine(LONGEST_LINE)) {
          throw in.wrong("a graph", "an empty file");
        }
        line = in.lineText().strip();
      }
      firstLine = line;
    }
    return line;
  }

  /// {@return whether the first line of a file is text in UTF-8}
  ///
  /// @throws InvalidInputException as [#firstLine]
  public boolean isText() {
    String line = firstLine();
    // A line that was not read to its end may break off inside a character.
    int end = line.length() < LONGEST_LINE / 4 ? line.length() : line.length() - 1;
    return !folder && line.indexOf('\0') < 0 && line.substring(0, end).indexOf('\ufffd') < 0;
  }

  /// {@return the exception for a file that a format recognises but cannot open}
  ///
  /// @param found kind of the file, and the remedy: `one file of a data set; give its folder`
  public InvalidInputException refused(String found) {
    return new InvalidInputException(
        "%s: expected a graph in one %s, found %s"
            .formatted(path, folder ? "folder" : "file", found));
  }
}
