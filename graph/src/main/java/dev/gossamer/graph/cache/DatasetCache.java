package dev.gossamer.graph.cache;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Opens data sets and keeps what took time to make: a raw file is converted once, a built-in data
/// set built once, and from then on opened from a data set folder, whose arrays are mapped.
///
/// A conversion is found again by [Datasets#contentKey]: another name, size or time of change of
/// the files, or other options, give another folder. Nothing is ever deleted. Folders are written
/// whole or not at all, so processes may share a cache. What cannot be kept is made each time.
/// Immutable.
public final class DatasetCache {
  private final Path folder;

  /// A cache in a folder of its own.
  ///
  /// @param folder where to keep data sets; made when something is kept
  public DatasetCache(Path folder) {
    this.folder = Objects.requireNonNull(folder, "folder");
  }

  /// {@return the cache of the user: `GOSSAMER_CACHE`, else `gossamer` in `XDG_CACHE_HOME`, else
  /// `.cache/gossamer` in the home folder}
  public static DatasetCache ofUser() {
    return new DatasetCache(
        variable("GOSSAMER_CACHE")
            .map(Path::of)
            .orElseGet(() ->
                variable("XDG_CACHE_HOME")
                    .map(Path::of)
                    .orElseGet(() -> home().resolve(".cache"))
                    .resolve("gossamer")));
  }

  /// `HOME` first, as everywhere on POSIX: the virtual machine's own answer is that of the list of
  /// users, which in a container may not have this one.
  private static Path home() {
    return Path.of(variable("HOME").orElseGet(() -> System.getProperty("user.home")));
  }

  private static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }

  /// {@return where data sets are kept}
  public Path folder() {
    return folder;
  }

  /// Opens what a user names: a built-in data set, a data set folder, or a file or folder in a raw
  /// format. If a format is given, the name is that of a file or folder.
  ///
  /// @param data name or path, as a user writes it
  /// @param options how a raw file is read
  /// @param listener hears what is made, and how far that has come
  /// @return a data set to close
  /// @throws InvalidInputException if there is none of that name, or naming file, place, what was
  ///   expected and what was found
  public GraphData open(String data, ReadOptions options, CacheListener listener) {
    Objects.requireNonNull(data, "data");
    Optional<BuiltIn> builtIn = options.format() == null ? BuiltIn.named(data) : Optional.empty();
    if (builtIn.isPresent()) {
      return open(builtIn.get(), listener);
    }
    return open(existing(data), options, listener);
  }

  private static Path existing(String data) {
    try {
      Path path = Path.of(data);
      if (Files.exists(path)) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw new InvalidSettingException(notFound(data), e);
    }
    throw new InvalidSettingException(notFound(data));
  }

  private static String notFound(String data) {
    return "{data}: expected a built-in name (%s) or an existing file or folder, found %s"
        .formatted(BuiltIn.names(), data);
  }

  /// Opens a file or folder. A data set folder is opened where it is. A [GraphFormat] that is not
  /// one of [GraphFormat#all] is read each time, as nobody knows here when its reader changes.
  ///
  /// @param path a file or folder
  /// @param options how a raw file is read
  /// @param listener hears what is made, and how far that has come
  /// @return a data set to close
  /// @throws InvalidInputException naming file, place, what was expected and what was found
  public GraphData open(Path path, ReadOptions options, CacheListener listener) {
    Objects.requireNonNull(path, "path");
    ReadOptions heard = options.withProgress(listener);
    if (!isKept(path, options.format())) {
      return Datasets.open(path, heard);
    }
    Path name = path.toAbsolutePath().normalize().getFileName();
    Path kept =
        folder
            .resolve("converted")
            .resolve("%s-%s".formatted(name, Datasets.contentKey(path, options)));
    if (!DatasetFolder.isDatasetFolder(kept)) {
      GraphData read = Datasets.open(path, heard);
      if (!keep(kept, read, String.valueOf(name), listener)) {
        return read;
      }
      listener.converted(path, kept);
    }
    return DatasetFolder.open(kept);
  }

  /// Writes a data set to the cache and closes it. One that cannot be written, in a home that is
  /// read-only or full, is as good from memory: it stays open, and the listener hears of it.
  private static boolean keep(Path kept, GraphData dataset, String name, CacheListener listener) {
    try {
      DatasetFolder.write(kept, dataset);
    } catch (InvalidInputException e) {
      listener.notKept(name, String.valueOf(e.getMessage()));
      return false;
    } catch (RuntimeException | Error e) {
      dataset.close();
      throw e;
    }
    dataset.close();
    return true;
  }

  /// Whether what is read is worth keeping, and may be kept.
  private static boolean isKept(Path path, @Nullable GraphFormat format) {
    GraphFormat folders = GraphFormat.named("dataset");
    return format == null
        ? !DatasetFolder.isDatasetFolder(path)
        : !format.equals(folders) && GraphFormat.all().contains(format);
  }

  /// Opens a built-in data set.
  ///
  /// @param dataset what to open
  /// @param listener hears what is made, and how far that has come
  /// @return a data set to close
  /// @throws InvalidInputException if the cache is damaged
  public GraphData open(BuiltIn dataset, CacheListener listener) {
    Objects.requireNonNull(dataset, "dataset");
    Path kept = folder.resolve("%s-%s".formatted(dataset.key(), dataset.version()));
    if (!DatasetFolder.isDatasetFolder(kept)) {
      String label = "building " + dataset.key();
      listener.at(label, 0, 1);
      GraphData built = dataset.build();
      listener.at(label, 1, 1);
      if (!keep(kept, built, dataset.key(), listener)) {
        return built;
      }
      listener.built(dataset, kept);
    }
    return DatasetFolder.open(kept);
  }
}
