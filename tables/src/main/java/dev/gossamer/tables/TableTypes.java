package dev.gossamer.tables;

import dev.gossamer.graph.EdgeTypeMasks;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The types of vertices, which are their tables or one of the ends of edges, and of edges.
///
/// @param store that is notified of the step
/// @param tables of vertices
/// @param edges name of each type of edges
/// @param directed whether edges keep their direction
/// @param arcs of all edges, by type
record TableTypes(
    TableStore store,
    List<LoadedVertices> tables,
    List<String> edges,
    boolean directed,
    ArcFile arcs) {
  /// The type of vertices if none is in a table.
  private static final String ENDS = "vertices";

  /// Null if there is one type of vertices and one of edges.
  @Nullable GraphTypes of(Arena arena, CsrMatrix adjacency, int added) {
    List<GraphTypes.OfVertices> vertices = new ArrayList<>();
    tables.forEach(
        loaded -> vertices.add(new GraphTypes.OfVertices(loaded.table().name(), loaded.count())));
    if (tables.isEmpty()) {
      vertices.add(new GraphTypes.OfVertices(ENDS, (int) adjacency.rows()));
    }
    if (added > 0) {
      vertices.add(new GraphTypes.OfVertices(TableFeatures.IN_NO_TABLE, added));
    }
    if (vertices.size() == 1 && edges.size() == 1) {
      return null;
    }
    return new GraphTypes(vertices, edges, edges.size() == 1 ? null : edgeTypes(arena, adjacency));
  }

  private MemorySegment edgeTypes(Arena arena, CsrMatrix adjacency) {
    store.step("types of edges");
    EdgeTypeMasks masks = new EdgeTypeMasks(arena, adjacency, directed);
    arcs.forEach((type, source, target, weight, time) -> masks.add(type, source, target));
    return masks.masks();
  }
}
