package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import java.util.Objects;

/// The connected components of a graph; of a directed one, those that remain if directions are
/// ignored (weakly connected).
///
/// @param count number of components; an isolated vertex is one
/// @param largest vertices of the largest, 0 without vertices
public record Components(int count, int largest) {
  /// Vertices between two notifications.
  private static final int STEP = 1 << 16;

  /// Counts the components: union-find over the arcs in their order, by index with path halving
  /// (Tarjan and van Leeuwen 1984), one pass.
  ///
  /// Java heap: 8 bytes per vertex. Time: in practice linear in vertices and arcs.
  ///
  /// @param a adjacency matrix, symmetric or not
  /// @param progress notified of the vertices done
  /// @return the components
  public static Components of(CsrMatrix a, Progress progress) {
    Objects.requireNonNull(a, "a");
    int n = Math.toIntExact(a.rows());
    int[] parents = new int[n];
    for (int v = 0; v < n; v++) {
      parents[v] = v;
    }
    for (int u = 0; u < n; u++) {
      if (u % STEP == 0) {
        progress.at("finding components", u, n);
      }
      int root = root(parents, u);
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int other = root(parents, a.column(e));
        // The smaller number stays, so that trees of the vertices done are shallow.
        if (other < root) {
          parents[root] = other;
          root = other;
        } else {
          parents[other] = root;
        }
      }
    }
    return counted(parents);
  }

  private static int root(int[] parents, int vertex) {
    int v = vertex;
    while (parents[v] != v) {
      parents[v] = parents[parents[v]];
      v = parents[v];
    }
    return v;
  }

  /// A parent has a smaller number than its children, so that one pass from the last vertex to the
  /// first brings all sizes to the roots.
  private static Components counted(int[] parents) {
    int count = 0;
    int largest = 0;
    int[] sizes = new int[parents.length];
    for (int v = parents.length - 1; v >= 0; v--) {
      sizes[v]++;
      if (parents[v] == v) {
        count++;
        largest = Math.max(largest, sizes[v]);
      } else {
        sizes[parents[v]] += sizes[v];
      }
    }
    return new Components(count, largest);
  }
}
