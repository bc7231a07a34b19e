package dev.gossamer.gnn.sampling;

/// The places in [Draws] of vertices that draw neighbours. Any rank that has the row of a vertex
/// can draw for it. Immutable.
final class NeighbourPlaces {
  private final int[] first;
  private final int[] second;
  private final int third;

  /// @param first of each vertex; borrowed
  /// @param second of each vertex; borrowed
  /// @param third the same for all
  NeighbourPlaces(int[] first, int[] second, int third) {
    this.first = first;
    this.second = second;
    this.third = third;
  }

  int first(int i) {
    return first[i];
  }

  int second(int i) {
    return second[i];
  }

  int third() {
    return third;
  }
}
