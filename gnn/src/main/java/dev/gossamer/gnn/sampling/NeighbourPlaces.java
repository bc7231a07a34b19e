package dev.gossamer.gnn.sampling;

/// The places in a [Draws] of vertices that each take some of their neighbours. Whoever has the row
/// of a vertex can draw for it.
///
/// @param first of each vertex
/// @param second of each vertex
/// @param third the same for all
record NeighbourPlaces(int[] first, int[] second, int third) {
  void go(Draws draws, int i) {
    draws.at(first[i], second[i], third);
  }
}
