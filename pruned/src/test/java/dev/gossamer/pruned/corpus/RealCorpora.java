package dev.gossamer.pruned.corpus;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Where published texts and images are: in `shared/data` beside the project's folder, or in the
/// folder that the system property `gossamer.data` names.
final class RealCorpora {
  private RealCorpora() {}

  /// A file or folder, or the end of the test if the data is not on this machine.
  static Path path(String name) {
    Path found = find(name);
    assumeTrue(
        found != null,
        name + " is not on this machine: neither ../shared/data nor -Dgossamer.data has it");
    return Objects.requireNonNull(found);
  }

  private static @Nullable Path find(String name) {
    String given = System.getProperty("gossamer.data");
    if (given != null) {
      return Path.of(given, name);
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path candidate = at.resolve("shared/data").resolve(name);
      if (Files.exists(candidate)) {
        return candidate;
      }
    }
    return null;
  }
}
