package dev.gossamer.cli.settings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The files of settings that come with the project.
final class PublishedSettings {
  private static final Path FOLDER = Path.of("../config");

  private PublishedSettings() {}

  /// {@return the files for `--config`, without those of machines, which lie beside them}
  static List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(FOLDER)) {
      return all.filter(PublishedSettings::namesAModel).sorted().toList();
    }
  }

  private static boolean namesAModel(Path file) {
    try {
      return Files.readAllLines(file).stream().anyMatch(line -> line.startsWith("model:"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
