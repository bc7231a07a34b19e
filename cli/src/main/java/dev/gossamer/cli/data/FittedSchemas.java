package dev.gossamer.cli.data;

import dev.gossamer.GraphModel;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.tables.GraphSchema;
import dev.gossamer.tables.SchemaFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Finds the schema that a data set or a model was fitted to.
final class FittedSchemas {
  private FittedSchemas() {}

  /// Returns the schema that travels with a run, a model or a data set folder.
  static GraphSchema of(Path path) {
    String schema = json(path);
    if (schema == null) {
      throw new InvalidInputException(
          "%s: expected features that were computed from tables, found others".formatted(path));
    }
    return SchemaFile.parse(path.toString(), schema);
  }

  private static @Nullable String json(Path path) {
    if (DatasetFolder.isDatasetFolder(path)) {
      try (GraphData data = DatasetFolder.open(path)) {
        return data.info().schema();
      }
    }
    return GraphModel.open(path).description().features().schema();
  }
}
