package dev.gossamer.spark.ranks;

import dev.gossamer.base.io.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/// A folder on the disk of a host, which its ranks share while a stage runs.
///
/// @param path of the folder
record HostFolder(Path path) {
  /// Creates one.
  ///
  /// @param parent Spark's folder for local files
  static HostFolder create(Path parent) {
    try {
      return new HostFolder(Files.createTempDirectory(parent, "gossamer-"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Copies a file or a folder with all that is in it, but for names that begin with `_` or `.`, as
  /// those of Spark's own files do.
  ///
  /// @param from path in any Hadoop file system
  /// @param to path in this folder
  /// @return whether there is such a file
  boolean fetch(org.apache.hadoop.fs.Path from, String to, Configuration conf) {
    try {
      FileSystem files = from.getFileSystem(conf);
      if (!files.exists(from)) {
        return false;
      }
      fetch(files, files.getFileStatus(from), path.resolve(to));
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(from + ": cannot be copied to " + path, e);
    }
  }

  private static void fetch(FileSystem files, FileStatus from, Path to) throws IOException {
    if (from.isFile()) {
      // Not copyToLocalFile, which leaves a file of check sums beside each.
      try (var in = files.open(from.getPath())) {
        Files.copy(in, to);
      }
      return;
    }
    Files.createDirectories(to);
    for (FileStatus each : files.listStatus(from.getPath())) {
      String name = each.getPath().getName();
      if (!name.startsWith("_") && !name.startsWith(".")) {
        fetch(files, each, to.resolve(name));
      }
    }
  }

  /// {@return what tells the checkpoint of a run from others, without blanks: a digest of the names
  /// of its files and of its manifest, which has those of their contents; `none` if no run has
  /// begun}
  ///
  /// @param run name of the run's folder in this one
  String checkpoint(String run) {
    if (!Files.exists(path.resolve(run).resolve(StageJob.SETTINGS))) {
      return "none";
    }
    MessageDigest digest = Sha256.digest();
    Path folder = path.resolve(run).resolve("checkpoint");
    try (Stream<Path> files = Files.exists(folder) ? Files.list(folder) : Stream.empty()) {
      for (Path file : files.sorted().toList()) {
        digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
        if (file.endsWith("manifest.json")) {
          digest.update(Files.readAllBytes(file));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /// Deletes the folder; what is mapped stays readable.
  void delete() {
    try {
      Files.walkFileTree(
          path,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
              }
              throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
                throws IOException {
              Files.deleteIfExists(folder);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
