package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import java.nio.file.Path;

/// Data set folders as [DatasetFolder] writes them.
final class DatasetFormat implements GraphFormat {
  @Override
  public String name() {
    return "dataset";
  }

  @Override
  public String description() {
    return DatasetJson.FILE;
  }

  @Override
  public boolean isFolder() {
    return true;
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    if (!probe.isFolder()
        && (probe.name().equals(DatasetJson.FILE) || probe.startsWith("\223NUMPY"))) {
      throw probe.refused("one file of a data set; give its folder");
    }
    return probe.files().contains(DatasetJson.FILE);
  }

  @Override
  public GraphData read(Path folder, ReadOptions options) {
    GraphData d = DatasetFolder.open(folder);
    Boolean directed = options.directed();
    if (directed != null && directed != d.info().directed()) {
      d.close();
      throw new InvalidInputException(
          "%s: expected %s graph, found %s one; convert from the original file"
              .formatted(
                  folder,
                  directed ? "a directed" : "an undirected",
                  directed ? "an undirected" : "a directed"));
    }
    return d;
  }
}
