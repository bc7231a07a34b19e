package dev.gossamer.gnn.sampling.matrices;

/// The places in a [Draws] of vertices that each take some of their neighbours. Any rank that has
/// the row of a vertex can draw for it. Immutable.
public final class NeighbourPlaces {
  private final int[] first;
  private final int[] second;
  private final int third;

  /// Creates the places.
  ///
  /// @param first of each vertex; borrowed
  /// @param second of each vertex; borrowed
  /// @param third the same for all
  public NeighbourPlaces(int[] first, int[] second, int third) {
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
