package dev.gossamer.tables;

import dev.gossamer.graph.GraphTypes;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

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

  /// Sets a bit of the entries of each arc.
  private MemorySegment edgeTypes(Arena arena, CsrMatrix adjacency) {
    store.step("types of edges");
    MemorySegment masks = arena.allocate(adjacency.nnz() * Integer.BYTES, DenseMatrix.ALIGNMENT);
    arcs.forEach((type, source, target, weight, time) -> {
      mark(masks, adjacency, source, target, 1 << type);
      if (!directed) {
        mark(masks, adjacency, target, source, 1 << type);
      }
    });
    return masks;
  }

  /// A self loop may have been left out.
  private static void mark(MemorySegment masks, CsrMatrix a, int source, int target, int bit) {
    long entry = a.find(source, target);
    if (entry >= 0) {
      masks.setAtIndex(INT, entry, masks.getAtIndex(INT, entry) | bit);
    }
  }
}
