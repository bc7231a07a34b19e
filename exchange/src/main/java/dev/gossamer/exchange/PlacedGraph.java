package dev.gossamer.exchange;

import dev.gossamer.graph.GraphData;

/// A graph, and which rank has which of its vertices.
///
/// @param data what every rank reads, usually a mapped file; borrowed
/// @param placement of its vertices, in as many blocks as the ranks' grid has rows
public record PlacedGraph(GraphData data, Placement placement) {
  /// Checks that both are of the same vertices.
  ///
  /// @throws IllegalArgumentException if the placement is of another number of vertices
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
