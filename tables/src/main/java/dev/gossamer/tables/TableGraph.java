package dev.gossamer.tables;

import dev.gossamer.graph.GraphData;

/// A graph that was read from tables.
///
/// @param data the graph, to be closed
/// @param report what was read
/// @param fitted the schema with everything that was computed from the training vertices, without
///   sources; [GraphData.Info#schema] of the data, as a value
public record TableGraph(GraphData data, ImportReport report, GraphSchema fitted)
    implements AutoCloseable {
  @Override
  public void close() {
    data.close();
  }
}
