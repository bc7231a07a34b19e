package dev.gossamer.cli;

import java.nio.file.Path;
import java.util.Optional;

/// Where converted and built data sets are kept between runs: `GOSSAMER_CACHE`, else `gossamer` in
/// `XDG_CACHE_HOME`, else `.cache/gossamer` in the home folder.
final class CacheFolder {
  private CacheFolder() {}

  static Path path() {
    return variable("GOSSAMER_CACHE")
        .map(Path::of)
        .orElseGet(() ->
            variable("XDG_CACHE_HOME")
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
                .resolve("gossamer"));
  }

  private static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }
}
