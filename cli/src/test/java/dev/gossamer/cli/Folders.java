package dev.gossamer.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// Folders with all that is in them.
public final class Folders {
  private Folders() {}

  /// Copies a file or a folder; links stay links.
  ///
  /// @param to which must not exist
  public static void copy(Path from, Path to) {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.createDirectories(to.getParent());
        Files.copy(each, to.resolve(from.relativize(each)), LinkOption.NOFOLLOW_LINKS);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Deletes what may not exist.
  public static void delete(Path path) {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
