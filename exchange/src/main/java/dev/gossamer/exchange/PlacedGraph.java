package dev.gossamer.exchange;

import dev.gossamer.graph.GraphData;

/// A graph with the placement of its vertices.
///
/// @param data read by every rank, usually a mapped file; borrowed
/// @param placement of its vertices, with one block per process row
public record PlacedGraph(GraphData data, Placement placement) {
  /// Checks the number of vertices.
  ///
  /// @throws IllegalArgumentException if the placement has another number of vertices
  public PlacedGraph {
    if (placement.distribution().rows() != data.vertices()) {
      throw new IllegalArgumentException(
          "placement: expected %d vertices, found %d"
              .formatted(data.vertices(), placement.distribution().rows()));
    }
  }

  /// {@return a graph whose vertices are all on one rank}
  ///
  /// @param data the graph
  public static PlacedGraph onOneRank(GraphData data) {
    return new PlacedGraph(data, Placement.block(data.vertices(), 1));
  }
}
