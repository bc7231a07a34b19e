package dev.gossamer.cli.terminal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// What a command has written.
public final class WrittenFiles {
  private WrittenFiles() {}

  /// Returns the bytes of a file, or of the files of a folder.
  public static long bytes(Path written) {
    try (Stream<Path> files = Files.walk(written)) {
      long bytes = 0;
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(each);
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
