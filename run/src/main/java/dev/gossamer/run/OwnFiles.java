package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.Predicate;

/// Checks the names that a run uses in its folder. Each must be a file or folder of the run, or not
/// exist: never a link, which may lead out of the folder, and never a pipe or device, which may be
/// endless.
final class OwnFiles {
  private OwnFiles() {}

  /// Requires a file or nothing.
  ///
  /// @throws InvalidInputException if something else has its name
  static void requireFile(Path path) {
    require(path, "file", BasicFileAttributes::isRegularFile);
  }

  /// Requires a folder or nothing.
  ///
  /// @throws InvalidInputException if something else has its name
  static void requireFolder(Path path) {
    require(path, "folder", BasicFileAttributes::isDirectory);
  }

  private static void require(Path path, String expected, Predicate<BasicFileAttributes> kind) {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      BasicFileAttributes found =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!kind.test(found)) {
        throw new InvalidInputException(
            "%s: expected a %s of the run, found %s; a run follows no links in its folder"
                .formatted(path, expected, name(found)));
      }
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  private static String name(BasicFileAttributes found) {
    if (found.isSymbolicLink()) {
      return "a link";
    }
    if (found.isDirectory()) {
      return "a folder";
    }
    return found.isRegularFile() ? "a file" : "a pipe or device";
  }
}
