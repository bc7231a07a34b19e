package dev.gossamer.graph;

/// Edges of a graph between different vertices, each once, in ascending order of source and target.
/// In an undirected graph the source is the lower number.
///
/// @param sources a vertex of each edge. Borrowed
/// @param targets the other one
@SuppressWarnings("ArrayRecordComponent")
public record Links(int[] sources, int[] targets) {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if there are not as many sources as targets
  public Links {
    if (sources.length != targets.length) {
      throw new IllegalArgumentException(
          "links: expected a target for each of %d sources, found %d"
              .formatted(sources.length, targets.length));
    }
  }

  /// {@return the number of edges}
  public int count() {
    return sources.length;
  }
}
