package dev.gossamer.gnn.sampling.matrices;

import java.lang.foreign.Arena;

/// Rows of `Â` of which some neighbours are wanted, and which need not be brought for them.
public interface NeighbourRows extends AdjacencyRows {
  /// The rows of some vertices, or what is drawn of them: row `i` is whole, or it has the `s`
  /// neighbours that [InverseTransform#uniform] draws of it. As drawing `s` of `s` changes nothing,
  /// samplers need not know. Collective.
  ///
  /// @param arena shared, owner of fetched rows
  /// @param vertices in any order; duplicates are allowed; borrowed
  /// @param s maximum neighbours of each
  /// @param draws the same on all ranks
  /// @param places of each vertex
  /// @return the rows
  SelectedRows neighbours(Arena arena, int[] vertices, int s, Draws draws, NeighbourPlaces places);

  /// [#neighbours] of a graph that is somewhere else, else whole rows.
  ///
  /// @param a rows of `Â`
  /// @param arena shared, owner of what is brought
  /// @param vertices in any order; duplicates are allowed; borrowed
  /// @param s neighbours that each takes at most
  /// @param draws the same on all ranks
  /// @param places of each vertex
  /// @return the rows
  static SelectedRows of(
      AdjacencyRows a, Arena arena, int[] vertices, int s, Draws draws, NeighbourPlaces places) {
    return a instanceof NeighbourRows rows
        ? rows.neighbours(arena, vertices, s, draws, places)
        : a.select(arena, vertices);
  }
}
