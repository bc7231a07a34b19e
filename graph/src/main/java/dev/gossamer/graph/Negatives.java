package dev.gossamer.graph;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.random.Philox;
import org.jspecify.annotations.Nullable;

/// Draws pairs of vertices without an edge: an end of an edge is replaced by another vertex of the
/// same type. In an undirected graph that is either end, with equal probability; in a directed one
/// it is the target. What is drawn depends only on the seed, the step, the edge's number and the
/// number of the pair.
///
/// The draw of [Philox] for the edge `i`, the pair `k` and the attempt `t` has the counter `(i, k,
/// t, 0)`; the lowest bit of the draw at `(i, 0, 0, 1)` decides which end is replaced. An attempt
/// that gives an edge, or a vertex twice, is followed by the next one. For the pair `k` that edges
/// share, the draws at `(k, 0, t, 2)` and `(k, 1, t, 2)` give both ends, and that at `(k, 2, t, 2)`
/// the edge whose ends have their types. Cost: a draw and a search in a row for each attempt.
public final class Negatives {
  /// Attempts for a pair; one in a thousand pairs without an edge is found with probability .98.
  private static final int MOST_ATTEMPTS = 4000;

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

  /// Prepares draws.
  ///
  /// @param data the graph, for its direction and types of vertices; borrowed
  /// @param known its edges that no pair may be; borrowed
  /// @param by how the other vertex is drawn
  /// @throws InvalidInputException if all pairs have an edge
  public Negatives(GraphData data, CsrMatrix known, By by) {
    this.known = known;
    this.by = by;
    directed = data.info().directed();
    types = data.types();
    requireGap(data.name());
  }

  /// {@return whether the source of an edge is replaced in the pairs that stand against it, not its
  /// target}
  ///
  /// @param philox keyed by the seed and the step
  /// @param edge number of the edge
  public boolean replacesSource(Philox philox, int edge) {
    return !directed && (philox.low(edge, 0, 0, 1) & 1) != 0;
  }

  /// {@return the vertex that is drawn in the place of one end of an edge}
  ///
  /// @param philox keyed by the seed and the step
  /// @param kept end of the edge
  /// @param replaced the other end
  /// @param edge number of the edge
  /// @param number of the pair, for several pairs against an edge
  /// @throws InvalidInputException if none is found, as nearly all pairs have an edge
  public int instead(Philox philox, int kept, int replaced, int edge, int number) {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      int other = other(philox.low(edge, number, attempt, 0), replaced);
      if (other >= 0 && other != kept && known.find(kept, other) < 0) {
        return other;
      }
    }
    throw new InvalidInputException(
        "no pair without an edge found in %,d draws against the edge between %d and %d; nearly all vertices are connected, so that edges cannot be told from pairs"
            .formatted(MOST_ATTEMPTS, kept, replaced));
  }

  /// {@return a pair that all edges are ranked among: both ends are drawn, each in the place of
  /// that of a drawn edge} The source is the high half of the number, the target the low one.
  ///
  /// @param philox keyed by the seed
  /// @param links the edges
  /// @param number of the pair
  /// @throws InvalidInputException if none is found, as nearly all pairs have an edge
  public long shared(Philox philox, Links links, int number) {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      int edge = (int) Math.unsignedMultiplyHigh(philox.low(number, 2, attempt, 2), links.count());
      int source = other(philox.low(number, 0, attempt, 2), links.sources()[edge]);
      int target = other(philox.low(number, 1, attempt, 2), links.targets()[edge]);
      if (source >= 0 && target >= 0 && source != target && known.find(source, target) < 0) {
        return (long) source << Integer.SIZE | target;
      }
    }
    throw new InvalidInputException(
        "no pair without an edge found in %,d draws; nearly all vertices are connected, so that edges cannot be told from pairs"
            .formatted(MOST_ATTEMPTS));
  }

  /// The vertex that is drawn in the place of another one; -1 if its type is another.
  private int other(long chosen, int replaced) {
    int type = types == null ? 0 : types.ofVertex(replaced);
    int begin = types == null ? 0 : types.first(type);
    int count = types == null ? known.cols() : types.vertices().get(type).count();
    return switch (by) {
      case UNIFORM -> begin + (int) Math.unsignedMultiplyHigh(chosen, count);
      case DEGREE -> {
        int drawn = known.column(Math.unsignedMultiplyHigh(chosen, known.nnz()));
        yield drawn >= begin && drawn < begin + count ? drawn : -1;
      }
    };
  }

  private void requireGap(String name) {
    long n = known.rows();
    if (known.nnz() >= n * (n - 1) && known.nnz() - SelfLoops.count(known) >= n * (n - 1)) {
      throw new InvalidInputException(
          "%s: expected pairs of vertices without an edge, to tell edges from, found an edge between all pairs of %,d vertices"
              .formatted(name, n));
    }
  }
}
