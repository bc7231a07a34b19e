package dev.gossamer.spark.ranks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
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
