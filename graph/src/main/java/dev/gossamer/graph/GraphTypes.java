package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The types of vertices and edges of a graph that has several.
///
/// @param vertices types of vertices, which are numbered one type after the other
/// @param edges name of each type of edges, at most [#MOST_EDGES]
/// @param masks of each stored entry of `A` (int32): bit `t` is set if an edge of type `t` is
///   there; null if there is one type of edges. Borrowed
public record GraphTypes(
    List<OfVertices> vertices, List<String> edges, @Nullable MemorySegment masks) {
  /// Most types of edges.
  public static final int MOST_EDGES = Integer.SIZE;

  /// The type of edges of a graph that has one.
  private static final String ONLY = "edge";

  /// A type of vertices.
  ///
  /// @param name of the type
  /// @param count of its vertices
  public record OfVertices(String name, int count) {}

  /// Checks the numbers.
  ///
  /// @throws IllegalArgumentException if there are no types, too many, or several types of edges
  ///   without masks
  public GraphTypes {
    vertices = List.copyOf(vertices);
    edges = List.copyOf(edges);
    if (vertices.isEmpty() || edges.isEmpty() || edges.size() > MOST_EDGES) {
      throw new IllegalArgumentException(
          "types: expected some of vertices and 1 to %d of edges, found %d and %d"
              .formatted(MOST_EDGES, vertices.size(), edges.size()));
    }
    if (edges.size() > 1 && masks == null) {
      throw new IllegalArgumentException("types: expected the types of each edge, found none");
    }
  }

  /// {@return the name of each type of edges of a graph}
  ///
  /// @param types of the graph; null if there is one of each
  public static List<String> edgesOf(@Nullable GraphTypes types) {
    return types == null ? List.of(ONLY) : types.edges;
  }

  /// {@return the number of a vertex's type}
  ///
  /// @param vertex in `0..n-1`
  public int ofVertex(int vertex) {
    int first = 0;
    for (int t = 0; t < vertices.size(); t++) {
      first += vertices.get(t).count();
      if (vertex < first) {
        return t;
      }
    }
    throw new IndexOutOfBoundsException("vertex " + vertex);
  }

  /// {@return the number of the first vertex of a type}
  ///
  /// @param type number of the type
  public int first(int type) {
    int first = 0;
    for (int t = 0; t < type; t++) {
      first += vertices.get(t).count();
    }
    return first;
  }

  /// {@return a copy for some of the edges}
  ///
  /// @param others of each of their entries; null if there is one type of edges. Borrowed
  GraphTypes with(@Nullable MemorySegment others) {
    return new GraphTypes(vertices, edges, others);
  }

  /// {@return a copy with one type of edges, of all of them}
  public GraphTypes withoutEdges() {
    return new GraphTypes(vertices, List.of(String.join("|", edges)), null);
  }

  /// {@return whether an edge of a type is there}
  ///
  /// @param entry stored entry of `A`
  /// @param type number of a type of edges
  public boolean has(long entry, int type) {
    return masks == null
        || (masks.get(ValueLayout.JAVA_INT_UNALIGNED, entry * Integer.BYTES) >>> type & 1) != 0;
  }

  /// {@return the number of edges of a type} An undirected edge counts once. Cost: one pass over
  /// `A`.
  ///
  /// @param type number of a type of edges
  /// @param graph of these types
  public long count(int type, GraphData graph) {
    CsrMatrix a = graph.adjacency();
    boolean directed = graph.info().directed();
    long count = 0;
    for (int v = 0; v < graph.vertices(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        count += has(e, type) && (directed || a.column(e) >= v) ? 1 : 0;
      }
    }
    return count;
  }
}
