package dev.gossamer.tables;

import dev.gossamer.graph.GraphData;

/// A graph that was read from tables.
///
/// @param data the graph, to be closed
/// @param report what was read
public record TableGraph(GraphData data, ImportReport report) implements AutoCloseable {
  @Override
  public void close() {
    data.close();
  }
}
