package dev.gossamer.cli;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.ReadOptions;
import java.nio.file.Path;

/// Data sets in raw formats: read once, then kept as a data set folder in the [CacheFolder] under a
/// key of their content.
final class Converted {
  private Converted() {}

  static GraphData open(Path path, ReadOptions options, CommonOptions common) {
    if (DatasetFolder.isDatasetFolder(path)) {
      return DatasetFolder.open(path);
    }
    Path folder =
        CacheFolder.path()
            .resolve("converted")
            .resolve(
                path.toAbsolutePath().normalize().getFileName()
                    + "-"
                    + Datasets.contentKey(path, options));
    if (!DatasetFolder.isDatasetFolder(folder)) {
      if (!common.quiet) {
        System.err.printf("gossamer: converting %s (kept in %s)%n", path, folder);
      }
      try (GraphData read = Datasets.open(path, options)) {
        DatasetFolder.write(folder, read);
      }
    }
    return DatasetFolder.open(folder);
  }
}
