package dev.gossamer.base.io;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// A new folder in the system's folder of temporary files, which is deleted with its content when
/// it is closed, or at the end of the process.
public final class TemporaryFolder implements AutoCloseable {
  private final Path path;
  private final Thread cleaner;

  private TemporaryFolder(Path path) {
    this.path = path;
    cleaner = Thread.ofPlatform().name("temporary").unstarted(this::delete);
    Runtime.getRuntime().addShutdownHook(cleaner);
  }

  /// Creates an empty folder.
  ///
  /// @param purpose part of its name
  /// @return the folder, to be closed
  /// @throws InvalidInputException if it cannot be created
  public static TemporaryFolder create(String purpose) {
    try {
      return new TemporaryFolder(Files.createTempDirectory("gossamer-%s-".formatted(purpose)));
    } catch (IOException e) {
      throw InvalidInputException.unwritable(Path.of(System.getProperty("java.io.tmpdir")), e);
    }
  }

  /// {@return the folder}
  public Path path() {
    return path;
  }

  @Override
  public void close() {
    delete();
    try {
      Runtime.getRuntime().removeShutdownHook(cleaner);
    } catch (IllegalStateException e) {
      // The process is ending: the hook runs.
    }
  }

  private void delete() {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | UncheckedIOException e) {
      // Whoever cleans temporary files will find it.
    }
  }
}
