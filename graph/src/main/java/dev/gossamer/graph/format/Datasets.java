package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/// The front door: opens a file or folder in any of the formats.
public final class Datasets {
  /// Goes up by one when a reader gives another result for the same file.
  private static final int READERS_VERSION = 1;

  private Datasets() {}

  /// Opens a file or folder and recognises its format by its content.
  ///
  /// @return a data set to close
  /// @throws InvalidInputException naming file, place, what was expected and what was found
  public static GraphData open(Path path) {
    return open(path, ReadOptions.DEFAULT);
  }

  /// Opens a file or folder.
  ///
  /// @return a data set to close
  /// @throws InvalidInputException naming file, place, what was expected and what was found
  public static GraphData open(Path path, ReadOptions options) {
    Format chosen = options.format();
    Format format = chosen == null ? recognise(path) : chosen;
    requireKind(path, format);
    if (options.splitIndex() > 0 && format != Format.NPZ) {
      throw new InvalidInputException(
          "%s: split index: expected 0, as format %s has one split at most, found %d"
              .formatted(path, format.option(), options.splitIndex()));
    }
    return switch (format) {
      case DATASET -> dataset(path, options);
      case PLANETOID -> PlanetoidReader.read(path, options);
      case NPZ -> NpzReader.read(path, options);
      case CORA_TEXT -> CoraTextReader.read(path, options);
      case EDGE_LIST -> EdgeListReader.read(path, options);
      case DIMACS -> DimacsReader.read(path, options);
      case MATRIX_MARKET -> MatrixMarketReader.read(path, options);
      case METIS -> MetisReader.read(path, options);
      case FACEBOOK100 -> Facebook100Reader.read(path, options);
      case MUSAE -> MusaeReader.read(path, options);
    };
  }

  private static GraphData dataset(Path folder, ReadOptions options) {
    GraphData d = DatasetFolder.open(folder);
    Boolean directed = options.directed();
    if (directed != null && directed != d.info().directed()) {
      d.close();
      throw new InvalidInputException(
          "%s: expected %s graph, found %s one; convert from the original file"
              .formatted(
                  folder,
                  directed ? "a directed" : "an undirected",
                  directed ? "an undirected" : "a directed"));
    }
    return d;
  }

  private static void requireKind(Path path, Format format) {
    boolean folder =
        switch (format) {
          case DATASET, PLANETOID, CORA_TEXT, MUSAE -> true;
          case NPZ, EDGE_LIST, DIMACS, MATRIX_MARKET, METIS, FACEBOOK100 -> false;
        };
    if (!Files.exists(path)) {
      throw new InvalidInputException("%s: cannot read: no such file or folder".formatted(path));
    }
    if (Files.isDirectory(path) != folder) {
      throw new InvalidInputException(
          "%s: expected a %s in format %s, found a %s"
              .formatted(
                  path,
                  folder ? "folder" : "file",
                  format.option(),
                  folder ? "file; give its folder" : "folder"));
    }
  }

  /// The format of a file or folder, by its content.
  ///
  /// @throws InvalidInputException if it is none of the formats, saying what was looked for
  public static Format recognise(Path path) {
    if (!Files.exists(path)) {
      throw new InvalidInputException("%s: cannot read: no such file or folder".formatted(path));
    }
    return Files.isDirectory(path) ? FormatProbe.ofFolder(path) : FormatProbe.ofFile(path);
  }

  /// A key that changes when the input may have changed: names, sizes and times of last change of
  /// the files, the options that decide what is read, and the version of the readers. Cheap: reads
  /// no content, so that a converted copy can be found again by it.
  ///
  /// @return 32 hexadecimal digits
  /// @throws InvalidInputException if the path cannot be read
  public static String contentKey(Path path, ReadOptions options) {
    StringBuilder text = new StringBuilder();
    text.append("readers ").append(READERS_VERSION).append('\n');
    text.append(options.format()).append(' ').append(options.directed()).append(' ');
    text.append(options.splitIndex()).append('\n');
    try {
      Path real = path.toRealPath();
      text.append(real).append('\n');
      for (Path file : Files.isDirectory(real) ? filesIn(real) : List.of(real)) {
        text.append(file.getFileName()).append(' ').append(Files.size(file)).append(' ');
        text.append(Files.getLastModifiedTime(file).toInstant()).append('\n');
      }
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  static List<Path> filesIn(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw InvalidInputException.unreadable(folder, e);
    }
  }

  /// The one file of a folder whose name ends so.
  static Path only(Path folder, String suffix) {
    List<Path> found =
        filesIn(folder).stream().filter(file -> file.toString().endsWith(suffix)).toList();
    if (found.size() != 1) {
      throw new InvalidInputException(
          "%s: expected one file *%s, found %s"
              .formatted(folder, suffix, found.isEmpty() ? "none" : found.size()));
    }
    return found.getFirst();
  }

  /// The name of a file without its endings.
  static String nameOf(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.replaceFirst(
        "(?i)(\\.(gz|npz|mat|mtx|gr|graph|metis|csv|tsv|txt|edges|el|content))+$", "");
  }
}
