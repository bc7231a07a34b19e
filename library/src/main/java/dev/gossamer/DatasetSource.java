package dev.gossamer;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.ClassGraph;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Where a data set comes from, and how it is read.
///
/// @param source a built-in name, a data set folder, or a file or folder in a raw format
/// @param options how a raw format is read
public record DatasetSource(String source, ReadOptions options) {
  /// The class-reference graph of the running JDK.
  public static final String JDK_CLASSES = "jdk-classes";

  /// Read as its content says.
  public DatasetSource(String source) {
    this(source, ReadOptions.DEFAULT);
  }

  /// Opens it, from the cache if it was built or converted before.
  ///
  /// @throws dev.gossamer.matrix.io.InvalidInputException if it is not there, or damaged
  public Dataset open() {
    return Dataset.of(data());
  }

  private GraphData data() {
    if (source.equals(JDK_CLASSES)) {
      return builtIn();
    }
    Path path = Path.of(source);
    if (!Files.exists(path)) {
      throw new InvalidSettingException(
          "{data}: expected a built-in name (%s) or an existing file or folder, found %s"
              .formatted(JDK_CLASSES, source));
    }
    return converted(path);
  }

  private static GraphData builtIn() {
    Path folder =
        cache()
            .resolve(
                "%s-%s-v%d"
                    .formatted(JDK_CLASSES, Runtime.version().toString(), ClassGraph.DEFINITION));
    if (!DatasetFolder.isDatasetFolder(folder)) {
      try (GraphData built = ClassGraph.byPackage(0).jdk()) {
        byte[] split = Splits.draw(built, Splits.Fractions.parse("10/10/80"), 0);
        DatasetFolder.write(folder, built.withSplit(split));
      }
    }
    return DatasetFolder.open(folder);
  }

  private GraphData converted(Path path) {
    if (DatasetFolder.isDatasetFolder(path)) {
      return DatasetFolder.open(path);
    }
    Path folder =
        cache()
            .resolve("converted")
            .resolve(
                path.toAbsolutePath().normalize().getFileName()
                    + "-"
                    + Datasets.contentKey(path, options));
    if (!DatasetFolder.isDatasetFolder(folder)) {
      try (GraphData read = Datasets.open(path, options)) {
        DatasetFolder.write(folder, read);
      }
    }
    return DatasetFolder.open(folder);
  }

  private static Path cache() {
    return variable("GOSSAMER_CACHE")
        .map(Path::of)
        .orElseGet(
            () ->
                variable("XDG_CACHE_HOME")
                    .map(Path::of)
                    .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
                    .resolve("gossamer"));
  }

  private static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }
}
