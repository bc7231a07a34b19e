package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.base.io.Sha256;
import dev.gossamer.graph.GraphData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Opens a file or folder in any of the supported formats.
public final class Datasets {
  /// Incremented when a reader gives another result for the same file.
  private static final int READERS_VERSION = 4;

  /// Names of files about a data set, not of it, and of hidden ones.
  private static final Pattern ABOUT =
      Pattern.compile("(?i)\\.|(readme|licen[cs]e|copying|citation|notice|sha\\d+sums|md5sums)");

  /// Data of a folder are at most as many levels below.
  private static final int DEEPEST = 3;

  private Datasets() {}

  /// Opens a file or folder and recognises its format by its content.
  ///
  /// @param path a file or folder
  /// @return a data set to close
  /// @throws InvalidInputException naming file, position, and the expected and actual content
  public static GraphData open(Path path) {
    return open(path, ReadOptions.DEFAULT);
  }

  /// Opens a file or folder.
  ///
  /// @param path a file or folder
  /// @param options for reading
  /// @return a data set to close
  /// @throws InvalidInputException naming file, position, and the expected and actual content
  public static GraphData open(Path path, ReadOptions options) {
    try (StreamedData data = stream(path, options)) {
      return InputFile.reading(path, data::inMemory);
    }
  }

  /// Opens a file or folder to convert it: dense features may stay in the file until they are
  /// written.
  ///
  /// @param path a file or folder
  /// @param options for reading
  /// @return a data set to close
  /// @throws InvalidInputException naming file, position, and the expected and actual content
  public static StreamedData stream(Path path, ReadOptions options) {
    Objects.requireNonNull(path, "path");
    return InputFile.reading(path, () -> opened(path, options));
  }

  private static StreamedData opened(Path given, ReadOptions options) {
    GraphFormat chosen = options.format();
    GraphFormat format = chosen == null ? recognise(given) : chosen;
    Path path = format.isFolder() ? given : fileOf(given);
    requireKind(path, format);
    if (options.splitIndex() > 0 && !format.hasSplits()) {
      throw new InvalidSettingException(
          "%s: {splitIndex}: expected 0, as format %s has one split at most, found %d"
              .formatted(path, format.name(), options.splitIndex()));
    }
    return format.stream(path, options);
  }

  /// The file that a folder stands for, which has one data file and only texts about it beside; any
  /// other path is returned as it is.
  private static Path fileOf(Path path) {
    if (!Files.isDirectory(path)) {
      return path;
    }
    List<Path> data = filesIn(path).stream().filter(file -> !isAbout(file)).toList();
    return data.size() == 1 ? data.getFirst() : path;
  }

  private static boolean isAbout(Path file) {
    return ABOUT.matcher(String.valueOf(file.getFileName())).lookingAt();
  }

  private static void requireKind(Path path, GraphFormat format) {
    if (!Files.exists(path)) {
      throw new InvalidInputException("%s: cannot read: no such file or folder".formatted(path));
    }
    boolean folder = format.isFolder();
    if (Files.isDirectory(path) != folder) {
      throw new InvalidInputException(
          "%s: expected a %s in format %s, found a %s"
              .formatted(
                  path,
                  folder ? "folder" : "file",
                  format.name(),
                  folder ? "file; give its folder" : "folder"));
    }
  }

  /// {@return the format of a file or folder, by its content} A folder in no format that holds one
  /// file and texts about it (`README`, `LICENSE`) is in the format of that file.
  ///
  /// @param path a file or folder
  /// @throws InvalidInputException if it is in none of [GraphFormat#all]; the message lists the
  ///   formats
  public static GraphFormat recognise(Path path) {
    FormatProbe probe = FormatProbe.of(path);
    Optional<GraphFormat> format = recognised(probe);
    if (format.isPresent()) {
      return format.get();
    }
    Path file = fileOf(path);
    if (!file.equals(path)) {
      return recognise(file);
    }
    throw unknown(probe);
  }

  private static Optional<GraphFormat> recognised(FormatProbe probe) {
    return GraphFormat.all().stream().filter(format -> format.recognises(probe)).findFirst();
  }

  private static InvalidInputException unknown(FormatProbe probe) {
    if (probe.startsWith("\050\265\057\375")) {
      return probe.refused("zstd data; unpack it with zstd -d");
    }
    if (probe.startsWith("MATLAB 5.0")) {
      return probe.refused("a MATLAB file, which only the module dev.gossamer.matlab reads");
    }
    if (probe.isFolder()) {
      return new InvalidInputException(
          "%s: expected a data set (%s) or a single file, found %d other files"
              .formatted(probe.path(), folders(), probe.files().size()));
    }
    return new InvalidSettingException(
        "%s: line 1: expected text, an .npz archive or a MATLAB 5 file, found other bytes; name the"
                .formatted(probe.path())
            + " {format} (%s)".formatted(Formats.names()));
  }

  /// The files that identify folders of each format.
  private static String folders() {
    List<String> known =
        GraphFormat.all().stream()
            .filter(GraphFormat::isFolder)
            .map(GraphFormat::description)
            .toList();
    int last = known.size() - 1;
    return String.join(", ", known.subList(0, last)) + ", or " + known.get(last);
  }

  /// Returns a key that changes when the input may have changed. It depends on names, sizes and
  /// modification times of the files, the options that affect reading, and the version of the
  /// readers. Reads no content, so that it is a cheap key of converted copies.
  ///
  /// @param path a file or folder
  /// @param options for reading
  /// @return 32 hexadecimal digits
  /// @throws InvalidInputException if the path cannot be read
  public static String contentKey(Path path, ReadOptions options) {
    Objects.requireNonNull(path, "path");
    StringBuilder text = new StringBuilder();
    text.append("readers ").append(READERS_VERSION).append('\n');
    GraphFormat format = options.format();
    text.append(format == null ? "any" : format.name()).append(' ');
    text.append(options.directed()).append(' ');
    text.append(options.splitIndex()).append('\n');
    try {
      Path real = path.toRealPath();
      text.append(real).append('\n');
      for (Path file : filesOf(real)) {
        text.append(nameIn(real, file)).append(' ').append(Files.size(file)).append(' ');
        text.append(Files.getLastModifiedTime(file).toInstant()).append('\n');
      }
      byte[] digest = Sha256.digest().digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  /// The files that a file or folder may be read from.
  private static List<Path> filesOf(Path path) {
    return Files.isDirectory(path)
        ? Stream.concat(filesIn(path).stream(), OgbFormat.files(path).stream()).toList()
        : List.of(path);
  }

  private static Path nameIn(Path path, Path file) {
    return file.equals(path) ? path.getFileName() : path.relativize(file);
  }

  static List<Path> filesIn(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw InvalidInputException.unreadable(folder, e);
    }
  }

  /// The files in a folder and its subfolders, ascending.
  static List<Path> filesBelow(Path folder) {
    try (Stream<Path> entries = Files.walk(folder, DEEPEST, FileVisitOption.FOLLOW_LINKS)) {
      return entries.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw InvalidInputException.unreadable(folder, e);
    } catch (UncheckedIOException e) {
      throw InvalidInputException.unreadable(folder, Objects.requireNonNull(e.getCause()));
    }
  }

  /// The only file of a folder whose name has a suffix.
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

  /// {@return the name of a file without the suffixes of formats: `cnr.metis.graph.gz` becomes
  /// `cnr`}
  ///
  /// @param file a file
  public static String nameOf(Path file) {
    String name = String.valueOf(file.getFileName());
    String endings =
        Stream.concat(
                Stream.of("gz"), GraphFormat.all().stream().flatMap(f -> f.endings().stream()))
            .collect(Collectors.joining("|"));
    return name.replaceFirst("(?i)(\\.(" + endings + "))+$", "");
  }
}
