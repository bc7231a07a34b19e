package dev.gossamer.graph;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// The relations of a graph: its types of edges and, if it is directed, the inverse of each, so
/// that messages pass both ways along an edge (M. Schlichtkrull et al., 2018, section 2.1).
///
/// A graph of relations ([#of]) has an entry at `(v, u)` for each pair of vertices with an edge in
/// either direction, whose value is the number of the set of relations by which messages pass from
/// `u` to `v`. Its pattern is symmetric. So relations go where a graph's values go: to ranks, into
/// blocks, over the network.
///
/// @param names of each relation
/// @param sets of the edges, by their number: a bit for each relation; empty if they are not known
public record Relations(List<String> names, List<Long> sets) {
  private static final String INVERSE = " (inverse)";

  /// Most relations.
  public static final int MOST = Long.SIZE;

  /// Checks the number.
  ///
  /// @throws IllegalArgumentException if there is none, or too many
  public Relations {
    names = List.copyOf(names);
    sets = List.copyOf(sets);
    if (names.isEmpty() || names.size() > MOST) {
      throw new IllegalArgumentException(
          "relations: expected 1 to %d, found %d".formatted(MOST, names.size()));
    }
  }

  /// {@return the relations of a graph, whose sets are not known}
  ///
  /// @param data typed or not
  public static Relations named(GraphData data) {
    List<String> names = new ArrayList<>(GraphTypes.edgesOf(data.types()));
    if (data.info().directed()) {
      List.copyOf(names).forEach(name -> names.add(name + INVERSE));
    }
    return new Relations(names, List.of());
  }

  /// {@return whether the second half of the relations are the inverses of the first, so that they
  /// are those of a directed graph}
  public boolean hasInverses() {
    int types = names.size() / 2;
    return names.size() == 2 * types
        && IntStream.range(0, types)
            .allMatch(type -> names.get(types + type).equals(names.get(type) + INVERSE));
  }

  /// {@return the graph of the relations of a graph} It is undirected, without weights or types of
  /// edges; all else is that of the graph. Cost: two passes over the entries, and their transpose
  /// if the graph is directed.
  ///
  /// @param arena owner of the new matrix, which must not outlive it
  /// @param data typed or not; the result itself if it is a graph of relations already
  /// @throws dev.gossamer.base.InvalidInputException if there are too many sets
  public static GraphData of(Arena arena, GraphData data) {
    return data.relations() != null ? data : new RelationMatrix(arena, data).graph();
  }

  /// {@return the names alone}
  public Relations withoutSets() {
    return with(List.of());
  }

  /// {@return relations with other sets}
  ///
  /// @param known by their number
  Relations with(List<Long> known) {
    return new Relations(names, known);
  }
}
