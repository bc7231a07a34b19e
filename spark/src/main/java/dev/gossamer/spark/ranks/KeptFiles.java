package dev.gossamer.spark.ranks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options;

/// Keeps a copy of a run's folder in a Hadoop file system, from which another attempt resumes.
///
/// What is copied is a state of the folder at one moment: files are linked first, and linked again
/// if a manifest of a checkpoint has changed meanwhile. A file appears whole or not at all,
/// manifests after the checkpoints that they name, and what is no more is deleted last: whenever
/// the host is lost, the copy has the checkpoint that its manifest names.
final class KeptFiles {
  /// A file as it was.
  private record Version(long size, long modified, String key) {}

  private final Path from;
  private final org.apache.hadoop.fs.Path to;
  private final Configuration conf;

  /// By path inside the folder.
  private Map<String, Version> copied = new HashMap<>();

  /// @param from file or folder on this host, which need not exist yet
  /// @param to its place in a Hadoop file system
  /// @param conf of Hadoop
  KeptFiles(Path from, org.apache.hadoop.fs.Path to, Configuration conf) {
    this.from = from;
    this.to = to;
    this.conf = conf;
  }

  /// Takes what is there as copied already.
  void seen() {
    try {
      copied = versions();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Copies what has changed, and deletes what is no more.
  void update() {
    try {
      Path state = Files.createTempDirectory(from.toAbsolutePath().getParent(), ".state-");
      try {
        copy(state, linked(state));
      } finally {
        new HostFolder(state).delete();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(to + ": cannot be written", e);
    }
  }

  /// Files that are there now.
  private Map<String, Version> versions() throws IOException {
    Map<String, Version> found = new HashMap<>();
    if (!Files.exists(from)) {
      return found;
    }
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(file -> !String.valueOf(file.getFileName()).startsWith(".")).toList();
    } catch (UncheckedIOException e) {
      throw Objects.requireNonNull(e.getCause());
    }
    for (Path file : files) {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      if (attributes.isRegularFile()) {
        found.put(
            from.relativize(file).toString(),
            new Version(
                attributes.size(),
                attributes.lastModifiedTime().toMillis(),
                String.valueOf(attributes.fileKey())));
      }
    }
    return found;
  }

  /// Links all files into another folder, at a moment at which no checkpoint is replaced.
  private Map<String, Version> linked(Path state) throws IOException {
    while (true) {
      try {
        Map<String, Version> before = versions();
        for (String name : before.keySet()) {
          Path link = name.isEmpty() ? state.resolve("file") : state.resolve(name);
          Files.createDirectories(Objects.requireNonNull(link.getParent()));
          Files.deleteIfExists(link);
          Files.createLink(link, from.resolve(name));
        }
        if (manifests(before).equals(manifests(versions()))) {
          return before;
        }
      } catch (NoSuchFileException e) {
        // Replaced meanwhile.
      }
    }
  }

  private static Map<String, Version> manifests(Map<String, Version> files) {
    Map<String, Version> some = new HashMap<>(files);
    some.keySet().removeIf(name -> !isManifest(name));
    return some;
  }

  /// Files of JSON say what others hold.
  private static boolean isManifest(String name) {
    return name.endsWith(".json");
  }

  private void copy(Path state, Map<String, Version> files) throws IOException {
    List<String> changed =
        files.entrySet().stream()
            .filter(file -> !file.getValue().equals(copied.get(file.getKey())))
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    for (String name : changed) {
      if (!isManifest(name)) {
        copy(state, name);
      }
    }
    for (String name : changed) {
      if (isManifest(name)) {
        copy(state, name);
      }
    }
    List<String> gone = new ArrayList<>(copied.keySet());
    gone.removeAll(files.keySet());
    for (String name : gone) {
      target(name).getFileSystem(conf).delete(target(name), false);
    }
    copied = files;
  }

  private void copy(Path state, String name) throws IOException {
    org.apache.hadoop.fs.Path target = target(name);
    org.apache.hadoop.fs.Path unfinished =
        new org.apache.hadoop.fs.Path(target.getParent(), "_" + target.getName());
    try (var out = unfinished.getFileSystem(conf).create(unfinished, true)) {
      Files.copy(name.isEmpty() ? state.resolve("file") : state.resolve(name), out);
    }
    FileContext.getFileContext(target.toUri(), conf)
        .rename(unfinished, target, Options.Rename.OVERWRITE);
  }

  private org.apache.hadoop.fs.Path target(String name) {
    return name.isEmpty() ? to : new org.apache.hadoop.fs.Path(to, name);
  }
}
