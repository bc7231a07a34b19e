package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import java.nio.file.Path;

/// A format that can leave dense features in the file until they are needed.
interface StreamedFormat extends GraphFormat {
  @Override
  StreamedData stream(Path path, ReadOptions options);

  @Override
  default GraphData read(Path path, ReadOptions options) {
    try (StreamedData data = stream(path, options)) {
      return data.inMemory();
    }
  }
}
