package dev.gossamer.graph;

/// Edges of a graph between different vertices, in ascending order of source and target: each once,
/// or once for each of its types, in their order. In an undirected graph the source is the lower
/// number.
///
/// @param sources a vertex of each edge. Borrowed
/// @param targets the other one
/// @param types number of the type of each edge; empty if there is one type of edges
@SuppressWarnings("ArrayRecordComponent")
public record Links(int[] sources, int[] targets, byte[] types) {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if there are not as many sources as targets, or as types
  public Links {
    if (sources.length != targets.length || (types.length != 0 && types.length != sources.length)) {
      throw new IllegalArgumentException(
          "links: expected a target and a type, if there are any, for each of %d sources, found %d and %d"
              .formatted(sources.length, targets.length, types.length));
    }
  }

  /// {@return the number of edges}
  public int count() {
    return sources.length;
  }

  /// {@return the number of an edge's type}
  ///
  /// @param edge number of the edge
  public int type(int edge) {
    return types.length == 0 ? 0 : types[edge];
  }
}
