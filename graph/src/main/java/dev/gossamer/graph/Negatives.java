package dev.gossamer.graph;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.random.Philox;
import org.jspecify.annotations.Nullable;

/// Draws pairs of vertices without an edge: an end of an edge is replaced by another vertex of the
/// same type. In an undirected graph that is either end, with equal probability, or the only one
/// that has such a vertex; in a directed one it is the target. What is drawn depends only on the
/// seed, the step, the edge's number and the number of the pair.
///
/// The draw of [Philox] for the edge `i`, the pair `k` and the attempt `t` has the counter `(i, k,
/// t, 0)`; the lowest bit of the draw at `(i, 0, 0, 1)` decides which end is replaced. An attempt
/// that gives an edge, or a vertex twice, is followed by the next one, and the last one by a draw,
/// at `(i, k, 0, 3)`, among the vertices that give neither, each with equal probability; where they
/// are drawn with equal probability anyway and the vertex may have edges with nearly all others, it
/// is the only one. For the pair `k` that edges share, the draws at `(k, 0, t, 2)` and `(k, 1, t,
/// 2)` give both ends, and that at `(k, 2, t, 2)` the edge whose ends have their types; after the
/// last attempt, the draw at `(k, 3, t, 2)` gives the other end of the first of these sources that
/// has no edge to some vertex. Cost: a draw and a search in a row for each attempt.
public final class Negatives {
  /// Attempts for a pair; one in a thousand pairs without an edge is found with probability .98.
  private static final int MOST_ATTEMPTS = 4000;

  /// A vertex has edges with nearly all others if it has none to at most one in so many.
  private static final int FEW = 64;

  /// How the other vertex is drawn.
  public enum By {
    /// Each vertex with equal probability.
    UNIFORM,
    /// Each vertex in proportion to the number of edges into it, so that vertices with many edges
    /// are not recognised by that alone.
    DEGREE
  }

  private final CsrMatrix known;
  private final By by;
  private final boolean directed;
  private final @Nullable GraphTypes types;

  /// Entries in columns before each one; null if vertices of a type are not drawn by them, or if
  /// row pointers are the same numbers.
  private final long @Nullable [] arcsBefore;

  /// Prepares draws.
  ///
  /// @param data the graph, for its direction and types of vertices; borrowed
  /// @param known its edges that no pair may be; borrowed
  /// @param by how the other vertex is drawn
  public Negatives(GraphData data, CsrMatrix known, By by) {
    this.known = known;
    this.by = by;
    directed = data.info().directed();
    types = data.types();
    arcsBefore = by == By.DEGREE && types != null && directed ? arcsBefore(known) : null;
  }

  /// {@return bytes that are kept to draw}
  ///
  /// @param data the graph
  /// @param by how the other vertex is drawn
  public static long bytes(GraphData data, By by) {
    boolean counted = by == By.DEGREE && data.types() != null && data.info().directed();
    return counted ? (data.vertices() + 1L) * Long.BYTES : 0;
  }

  /// {@return whether an edge can be compared with pairs without an edge} In an undirected graph,
  /// one of its ends has no edge with some vertex of the other's type; in a directed one, neither
  /// end has edges to all vertices of the other's type. Both directions of a pair give the same.
  ///
  /// @param data the graph of all edges, whose rows are ascending
  /// @param source of an edge that is no loop
  /// @param target of the edge
  public static boolean areThereFor(GraphData data, int source, int target) {
    CsrMatrix known = data.adjacency();
    boolean fromSource = hasGap(known, source, Range.ofType(data.types(), known, target));
    boolean fromTarget = hasGap(known, target, Range.ofType(data.types(), known, source));
    return data.info().directed() ? fromSource && fromTarget : fromSource || fromTarget;
  }

  /// {@return whether the source of an edge is replaced in the pairs that stand against it, not its
  /// target}
  ///
  /// @param philox keyed by the seed and the step
  /// @param edge number of the edge
  /// @param source of the edge
  /// @param target of the edge
  public boolean replacesSource(Philox philox, int edge, int source, int target) {
    if (directed) {
      return false;
    }
    boolean drawn = (philox.low(edge, 0, 0, 1) & 1) != 0;
    int kept = drawn ? target : source;
    int replaced = drawn ? source : target;
    return hasGap(known, kept, range(replaced)) ? drawn : !drawn;
  }

  /// {@return the vertex that is drawn in the place of one end of an edge}
  ///
  /// @param philox keyed by the seed and the step
  /// @param kept end of the edge
  /// @param replaced the other end
  /// @param edge number of the edge
  /// @param number of the pair, for several pairs against an edge
  /// @throws InvalidInputException if the end that is kept has edges with all vertices of the
  ///   other's type
  public int instead(Philox philox, int kept, int replaced, int edge, int number) {
    Range range = range(replaced);
    int attempts = by == By.UNIFORM && range.isNearlyFull(known, kept) ? 0 : MOST_ATTEMPTS;
    for (int attempt = 0; attempt < attempts; attempt++) {
      int other = drawn(philox.low(edge, number, attempt, 0), range);
      if (other != kept && known.find(kept, other) < 0) {
        return other;
      }
    }
    long gaps = range.gaps(known, kept);
    if (gaps == 0) {
      throw new InvalidInputException(
          "no pair without an edge found against the edge between %d and %d: vertex %d has edges with all vertices of the type of vertex %d"
              .formatted(kept, replaced, kept, replaced));
    }
    return range.gap(
        known, kept, (int) Math.unsignedMultiplyHigh(philox.low(edge, number, 0, 3), gaps));
  }

  /// {@return a pair that all edges are ranked among: both ends are drawn, each in the place of
  /// that of a drawn edge} The source is the high half of the number, the target the low one.
  ///
  /// @param philox keyed by the seed
  /// @param links the edges
  /// @param number of the pair
  /// @throws InvalidInputException if none is found, as all pairs have an edge
  public long shared(Philox philox, Links links, int number) {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      int edge = sharedEdge(philox, links, number, attempt);
      int source = drawn(philox.low(number, 0, attempt, 2), range(links.sources()[edge]));
      int target = drawn(philox.low(number, 1, attempt, 2), range(links.targets()[edge]));
      if (source != target && known.find(source, target) < 0) {
        return (long) source << Integer.SIZE | target;
      }
    }
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      int edge = sharedEdge(philox, links, number, attempt);
      int source = drawn(philox.low(number, 0, attempt, 2), range(links.sources()[edge]));
      Range targets = range(links.targets()[edge]);
      long gaps = targets.gaps(known, source);
      if (gaps > 0) {
        long chosen = Math.unsignedMultiplyHigh(philox.low(number, 3, attempt, 2), gaps);
        return (long) source << Integer.SIZE | targets.gap(known, source, (int) chosen);
      }
    }
    throw new InvalidInputException(
        "no pair without an edge found in %,d draws; nearly all vertices are connected, so that edges cannot be told from pairs"
            .formatted(MOST_ATTEMPTS));
  }

  private static int sharedEdge(Philox philox, Links links, int number, int attempt) {
    return (int) Math.unsignedMultiplyHigh(philox.low(number, 2, attempt, 2), links.count());
  }

  private Range range(int vertex) {
    return Range.ofType(types, known, vertex);
  }

  private int drawn(long chosen, Range range) {
    if (by == By.DEGREE) {
      if (types == null) {
        return known.column(Math.unsignedMultiplyHigh(chosen, known.nnz()));
      }
      long before = arcsBefore(range.begin);
      long arcs = arcsBefore(range.end) - before;
      if (arcs > 0) {
        return ofArc(before + Math.unsignedMultiplyHigh(chosen, arcs), range);
      }
    }
    return range.begin + (int) Math.unsignedMultiplyHigh(chosen, range.end - range.begin);
  }

  /// The last vertex before which there are at most so many arcs: one that has arcs.
  private int ofArc(long arc, Range range) {
    int low = range.begin;
    int high = range.end - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (arcsBefore(middle) <= arc) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /// Arcs into vertices before one: in an undirected graph as many as from them.
  private long arcsBefore(int vertex) {
    return arcsBefore == null ? known.rowPointer(vertex) : arcsBefore[vertex];
  }

  private static long[] arcsBefore(CsrMatrix known) {
    long[] before = new long[known.cols() + 1];
    for (long e = 0; e < known.nnz(); e++) {
      before[known.column(e) + 1]++;
    }
    for (int v = 0; v < known.cols(); v++) {
      before[v + 1] += before[v];
    }
    return before;
  }

  /// Whether a vertex has no edge to some other vertex of a type.
  private static boolean hasGap(CsrMatrix known, int vertex, Range range) {
    // Only a vertex with that many edges is looked at closely.
    return known.rowLength(vertex) < range.end - range.begin - 1L || range.gaps(known, vertex) > 0;
  }

  /// The vertices of a type.
  private record Range(int begin, int end) {
    static Range ofType(@Nullable GraphTypes types, CsrMatrix known, int vertex) {
      if (types == null) {
        return new Range(0, known.cols());
      }
      int type = types.ofVertex(vertex);
      int begin = types.first(type);
      return new Range(begin, begin + types.vertices().get(type).count());
    }

    /// The number of these vertices, other than a vertex itself, that it has no edge to.
    long gaps(CsrMatrix known, int vertex) {
      long edges = lowerBound(known, vertex, end) - lowerBound(known, vertex, begin);
      return end - begin - edges - (isOwnGap(known, vertex) ? 1 : 0);
    }

    /// Whether there may be few of them, as a vertex has so many edges, of whatever types.
    boolean isNearlyFull(CsrMatrix known, int vertex) {
      int size = end - begin;
      return known.rowLength(vertex) >= size - size / FEW;
    }

    /// The `n`th of them, from 0 on. Cost: a search in the vertex's row.
    int gap(CsrMatrix known, int vertex, int n) {
      int found = missing(known, vertex, n);
      return isOwnGap(known, vertex) && found >= vertex ? missing(known, vertex, n + 1) : found;
    }

    private boolean isOwnGap(CsrMatrix known, int vertex) {
      return vertex >= begin && vertex < end && known.find(vertex, vertex) < 0;
    }

    /// The `n`th of these vertices that is no column of a row: behind as many columns as there are
    /// with at most `n` others before them.
    private int missing(CsrMatrix known, int row, int n) {
      long first = lowerBound(known, row, begin);
      long low = first;
      long high = lowerBound(known, row, end);
      while (low < high) {
        long middle = (low + high) >>> 1;
        if (known.column(middle) - begin - (middle - first) <= n) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return begin + n + (int) (low - first);
    }

    /// The first entry of a row whose column is not below one.
    private static long lowerBound(CsrMatrix known, int row, int column) {
      long found = known.find(row, column);
      return found < 0 ? -found - 1 : found;
    }
  }
}
