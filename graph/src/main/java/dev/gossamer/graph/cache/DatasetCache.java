package dev.gossamer.graph.cache;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.graph.format.StreamedData;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Opens data sets and caches them: a raw file is converted once, a built-in data set is built
/// once, and later opened from a data set folder, whose arrays are mapped.
///
/// A conversion is identified by [Datasets#contentKey]: a different name, size or modification time
/// of the files, or different options, give a different folder. Cached data are compared with their
/// checksums on each use ([DatasetFolder#verifySmallFiles]); if files are damaged or missing, the
/// listener is notified and the data set is created again. Other folders are never deleted. Folders
/// are written atomically, so processes may share a cache. Data that cannot be cached are created
/// each time. Immutable.
public final class DatasetCache {
  /// A name in the cache has other parts too, and a file system allows 255 bytes.
  private static final int LONGEST_NAME = 50;

  private final Path folder;
  private final boolean thorough;

  /// Creates a cache in a folder.
  ///
  /// @param folder of the cached data sets; created on first use
  public DatasetCache(Path folder) {
    this(folder, false);
  }

  private DatasetCache(Path folder, boolean thorough) {
    this.folder = Objects.requireNonNull(folder, "folder");
    this.thorough = thorough;
  }

  /// {@return a copy that compares every file with its checksum before it opens a data set,
  /// including data set folders outside the cache}
  public DatasetCache verifying() {
    return new DatasetCache(folder, true);
  }

  /// {@return the user's cache: `GOSSAMER_CACHE`, or `gossamer` in `XDG_CACHE_HOME`, or
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

  /// {@return the folder of the cached data sets}
  public Path folder() {
    return folder;
  }

  /// Opens a built-in data set, a data set folder, or a file or folder in a raw format. If a format
  /// is given, the name refers to a file or folder.
  ///
  /// @param data name or path, as written by the user
  /// @param options for reading a raw file
  /// @param listener notified of created data sets, and of progress
  /// @return a data set to close
  /// @throws InvalidInputException if there is none of this name, or naming file, position, and the
  ///   expected and actual content
  public GraphData open(String data, ReadOptions options, CacheListener listener) {
    Objects.requireNonNull(data, "data");
    Optional<BuiltIn> builtIn = options.format() == null ? BuiltIn.named(data) : Optional.empty();
    if (builtIn.isPresent()) {
      requireNoOptions(builtIn.get(), options);
      return open(builtIn.get(), listener);
    }
    return open(existing(data), options, listener);
  }

  private static void requireNoOptions(BuiltIn dataset, ReadOptions options) {
    String found =
        options.directed() != null
            ? "{directed}: expected none"
            : options.splitIndex() > 0 ? "{splitIndex}: expected 0" : null;
    if (found != null) {
      throw new InvalidSettingException(
          "%s, as %s is built in and not read from a raw file, found %s"
              .formatted(
                  found,
                  dataset.key(),
                  options.directed() != null ? options.directed() : options.splitIndex()));
    }
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

  /// Opens a file or folder. A data set folder is opened in place. A [GraphFormat] that is not one
  /// of [GraphFormat#all] is read each time, because changes of its reader cannot be detected.
  ///
  /// @param path a file or folder
  /// @param options for reading a raw file
  /// @param listener notified of created data sets, and of progress
  /// @return a data set to close
  /// @throws InvalidInputException naming file, position, and the expected and actual content
  public GraphData open(Path path, ReadOptions options, CacheListener listener) {
    Objects.requireNonNull(path, "path");
    ReadOptions heard = options.withProgress(listener);
    if (!isKept(path, options.format())) {
      if (thorough && DatasetFolder.isDatasetFolder(path)) {
        DatasetFolder.verify(path);
      }
      return Datasets.open(path, heard);
    }
    String name = String.valueOf(path.toAbsolutePath().normalize().getFileName());
    Path kept =
        folder
            .resolve("converted")
            .resolve(
                "%s-%s"
                    .formatted(
                        name.substring(0, Math.min(name.length(), LONGEST_NAME)),
                        Datasets.contentKey(path, options)));
    Optional<GraphData> known = known(kept, listener);
    if (known.isPresent()) {
      return known.get();
    }
    try (StreamedData read = Datasets.stream(path, heard)) {
      if (!keep(kept, read, name, listener)) {
        return read.inMemory();
      }
    }
    listener.converted(path, kept);
    return DatasetFolder.open(kept);
  }

  /// Writes a data set to the cache. Notifies the listener if it cannot be written, because the
  /// home folder is read-only or full.
  ///
  /// @return whether it was written
  private static boolean keep(
      Path kept, StreamedData dataset, String name, CacheListener listener) {
    Optional<String> unwritten = dataset.write(kept);
    unwritten.ifPresent(reason -> listener.notKept(name, reason));
    return unwritten.isEmpty();
  }

  /// What is kept in a folder, if it is there and whole. What is damaged will be replaced; what
  /// cannot be replaced is removed.
  private Optional<GraphData> known(Path kept, CacheListener listener) {
    if (!Files.exists(kept, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try {
      DatasetFolder.verifySmallFiles(kept);
      if (thorough) {
        DatasetFolder.verify(kept);
      }
      return Optional.of(DatasetFolder.open(kept));
    } catch (InvalidInputException e) {
      listener.damaged(kept, String.valueOf(e.getMessage()));
      // What can be is replaced whole, while other processes may open it.
      if (Files.isSymbolicLink(kept) || !isReplaceable(kept)) {
        AtomicOutput.remove(kept);
      }
      return Optional.empty();
    }
  }

  private static boolean isReplaceable(Path kept) {
    try {
      DatasetFolder.requireReplaceable(kept);
      return true;
    } catch (InvalidInputException e) {
      return false;
    }
  }

  /// Whether what is read is worth keeping, and may be kept.
  private static boolean isKept(Path path, @Nullable GraphFormat format) {
    GraphFormat folders = GraphFormat.named("dataset");
    return format == null
        ? !DatasetFolder.isDatasetFolder(path) && Datasets.recognise(path).isSelfContained()
        : !format.equals(folders) && GraphFormat.all().contains(format) && format.isSelfContained();
  }

  /// {@return the built-in data set that [#open(String, ReadOptions, CacheListener)] would build;
  /// empty if it would build none}
  ///
  /// @param data name or path, as written by the user
  /// @param options for reading a raw file
  public Optional<BuiltIn> toBuild(String data, ReadOptions options) {
    return options.format() == null
        ? BuiltIn.named(data)
            .filter(dataset -> !Files.exists(kept(dataset), LinkOption.NOFOLLOW_LINKS))
        : Optional.empty();
  }

  private Path kept(BuiltIn dataset) {
    return folder.resolve("%s-%s".formatted(dataset.key(), dataset.version()));
  }

  /// Opens a built-in data set.
  ///
  /// @param dataset the data set
  /// @param listener notified of created data sets, and of progress
  /// @return a data set to close
  /// @throws InvalidInputException if the data set cannot be built
  public GraphData open(BuiltIn dataset, CacheListener listener) {
    Objects.requireNonNull(dataset, "dataset");
    Path kept = kept(dataset);
    Optional<GraphData> known = known(kept, listener);
    if (known.isPresent()) {
      return known.get();
    }
    listener.building(dataset);
    try (StreamedData built = StreamedData.of(dataset.build(listener))) {
      if (!keep(kept, built, dataset.key(), listener)) {
        return built.inMemory();
      }
    }
    listener.built(dataset, kept);
    return DatasetFolder.open(kept);
  }
}
