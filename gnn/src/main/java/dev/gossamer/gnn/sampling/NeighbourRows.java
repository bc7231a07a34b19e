package dev.gossamer.gnn.sampling;

import java.lang.foreign.Arena;

/// Rows of `Â` from which neighbours can be drawn without fetching whole rows.
interface NeighbourRows extends AdjacencyRows {
  /// Returns rows of vertices: row `i` is whole, or it has the `s` neighbours that
  /// [InverseTransform#uniform] draws from it. Samplers need not distinguish, since drawing `s` of
  /// `s` changes nothing. Collective.
  ///
  /// @param arena shared, owner of fetched rows
  /// @param vertices in any order; duplicates are allowed; borrowed
  /// @param s maximum neighbours of each
  /// @param draws the same on all ranks
  /// @param places of each vertex
  SelectedRows neighbours(Arena arena, int[] vertices, int s, Draws draws, NeighbourPlaces places);

  /// Returns [#neighbours] of a distributed graph, otherwise whole rows.
  static SelectedRows of(
      AdjacencyRows a, Arena arena, int[] vertices, int s, Draws draws, NeighbourPlaces places) {
    return a instanceof NeighbourRows rows
        ? rows.neighbours(arena, vertices, s, draws, places)
        : a.select(arena, vertices);
  }
}
