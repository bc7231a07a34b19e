package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Computes the features of the edges of a graph: the means over the arcs that were merged into
/// each entry of `A`. Of an undirected graph, arcs of both directions are merged.
///
/// Features are added in groups of columns, each with its own arcs: those of a table of edges. An
/// entry of which a group has no arc has zeros there. Sums are in the order in which arcs are
/// added. Memory: 4 bytes for each entry and feature, which is the result, and 4 for each entry
/// until [#close]. Not thread-safe.
public final class EdgeFeatureMeans implements AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  private final Arena temporary = Arena.ofShared();
  private final CsrMatrix a;
  private final boolean directed;
  private final DenseMatrix x;

  /// Arcs of this group that were merged into each entry.
  private final MemorySegment counts;

  /// Creates features that are 0.
  ///
  /// @param arena owner of the features
  /// @param a `A`, built from the arcs
  /// @param directed whether arcs keep their direction; otherwise each is that of both
  /// @param width features of each edge
  public EdgeFeatureMeans(Arena arena, CsrMatrix a, boolean directed, int width) {
    this.a = a;
    this.directed = directed;
    x = DenseMatrix.allocate(arena, a.nnz(), width);
    counts = temporary.allocate(a.nnz() * Integer.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// {@return the entry that collects the features of an arc; negative if the arc is not in `A`} Of
  /// an undirected graph, that of the smaller vertex.
  ///
  /// @param a `A`
  /// @param directed whether arcs keep their direction
  /// @param source vertex
  /// @param target vertex
  public static long entry(CsrMatrix a, boolean directed, int source, int target) {
    return directed || source <= target ? a.find(source, target) : a.find(target, source);
  }

  /// Adds an arc to the group.
  ///
  /// @param entry of [#entry]; nothing is added if it is negative
  public void add(long entry) {
    if (entry >= 0) {
      counts.setAtIndex(INT, entry, counts.getAtIndex(INT, entry) + 1);
    }
  }

  /// Adds a feature of an arc.
  ///
  /// @param entry of [#entry]; nothing is added if it is negative
  /// @param feature column
  /// @param value finite
  public void add(long entry, int feature, float value) {
    if (entry >= 0) {
      x.set(entry, feature, x.get(entry, feature) + value);
    }
  }

  /// Sets a feature of all edges that the group has an arc of to 1.
  ///
  /// @param feature column
  public void mark(int feature) {
    for (long e = 0; e < a.nnz(); e++) {
      if (counts.getAtIndex(INT, e) > 0) {
        x.set(e, feature, 1);
      }
    }
  }

  /// Ends a group: what is added next is of other arcs.
  ///
  /// @param begin first column of the group
  /// @param end after its last column
  public void endGroup(int begin, int end) {
    for (long e = 0; e < a.nnz(); e++) {
      int count = counts.getAtIndex(INT, e);
      for (int f = begin; count > 1 && f < end; f++) {
        x.set(e, f, x.get(e, f) / count);
      }
    }
    counts.fill((byte) 0);
  }

  /// {@return the features of all entries (`nnz x width`)}. Cost: of an undirected graph, one pass
  /// over the entries, with a search in a row for each.
  public DenseMatrix features() {
    long rowBytes = (long) x.cols() * Float.BYTES;
    for (int u = 0; !directed && u < a.rows(); u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int v = a.column(e);
        if (v < u) {
          MemorySegment.copy(x.data(), x.offset(a.find(v, u)), x.data(), x.offset(e), rowBytes);
        }
      }
    }
    return x;
  }

  /// Frees the memory of the counts.
  @Override
  public void close() {
    temporary.close();
  }
}
