package dev.gossamer.matrix.attention;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.RowTasks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// The edges that [Attention], [RelationSums] and [EdgeMessages] work on, as a pattern `targets x
/// sources` with a row of incoming edges for each target; the first sources are the targets.
/// Attention ignores values and scales of the matrix; [RelationSums] reads values, [EdgeMessages]
/// both. For attention, an edge can have a weight, which counts as that number of equal edges:
/// samplers assign it to drawn edges.
///
/// Immutable; matrix and weights are borrowed.
public final class EdgePattern {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  /// Edges that the numbers of [Transposed] can tell apart.
  private static final long MOST = 1L << Integer.SIZE;

  private final CsrMatrix csr;
  private final @Nullable MemorySegment logWeights;
  private final @Nullable DenseMatrix scores;
  private final @Nullable EdgeTerms terms;
  private final RowTasks tasks;

  /// Creates a pattern over the memory of a matrix, with unweighted edges.
  ///
  /// @param csr `targets x sources`
  /// @throws IllegalArgumentException if there are fewer sources than targets, more than `2^32`
  ///   edges, descending row pointers or column ids out of range, which kernels do not check
  public EdgePattern(CsrMatrix csr) {
    this(csr, null);
  }

  /// Creates a pattern over the memory of a matrix, with weighted edges.
  ///
  /// @param csr `targets x sources`
  /// @param logWeights `float32[edges]`, the natural logarithm of each edge's weight; null for
  ///   equal weights. A common factor of a target's edges has no effect; an edge of weight 0, whose
  ///   logarithm is `-Infinity`, has none, and a target has at least one other. Read in each pass
  /// @throws IllegalArgumentException if there are fewer sources than targets, more than `2^32`
  ///   edges, descending row pointers or column ids out of range, which kernels do not check
  public EdgePattern(CsrMatrix csr, @Nullable MemorySegment logWeights) {
    String fault = csr.validate();
    if (fault != null || csr.cols() < csr.rows() || csr.nnz() > MOST) {
      throw new IllegalArgumentException(
          "edges: the pattern is %s; %s"
              .formatted(
                  csr, fault == null ? "expected a source for each target, 2^32 edges" : fault));
    }
    if (logWeights != null && logWeights.byteSize() != csr.nnz() * Float.BYTES) {
      throw new IllegalArgumentException(
          "edges: %d bytes of weights; expected a float for each of %d edges"
              .formatted(logWeights.byteSize(), csr.nnz()));
    }
    this.csr = csr;
    this.logWeights = logWeights;
    scores = null;
    terms = null;
    tasks = RowTasks.of(csr);
  }

  private EdgePattern(EdgePattern same, @Nullable DenseMatrix scores, @Nullable EdgeTerms terms) {
    csr = same.csr;
    logWeights = same.logWeights;
    this.scores = scores;
    this.terms = terms;
    tasks = same.tasks;
  }

  /// {@return the same edges with scores of their own, which [Attention] adds to those of their
  /// ends: `leaky(<a_src, z[u]> + <a_dst, z[v]> + scores[uv])`}
  ///
  /// @param own `edges x K`, read in each pass. Borrowed
  /// @throws IllegalArgumentException if there are others than one row for each edge
  public EdgePattern withScores(DenseMatrix own) {
    if (own.rows() != csr.nnz()) {
      throw new IllegalArgumentException(
          "edges: %d rows of scores; expected one for each of %d edges"
              .formatted(own.rows(), csr.nnz()));
    }
    return new EdgePattern(this, own, terms);
  }

  /// {@return the same edges with terms of their own, which [EdgeMessages] and [DynamicAttention]
  /// add to rows of their ends}
  ///
  /// @param own of each edge; borrowed
  /// @throws IllegalArgumentException if there are others than of each edge
  public EdgePattern withTerms(EdgeTerms own) {
    if (own.edges() != csr.nnz()) {
      throw new IllegalArgumentException(
          "edges: features of %d edges; expected those of %d".formatted(own.edges(), csr.nnz()));
    }
    return new EdgePattern(this, scores, own);
  }

  /// The terms of edges; null if edges have none.
  @Nullable EdgeTerms terms() {
    return terms;
  }

  /// The terms of edges.
  ///
  /// @param what reads them
  /// @throws IllegalArgumentException if edges have none
  EdgeTerms requireTerms(String what) {
    if (terms == null) {
      throw new IllegalArgumentException(what + ": expected features of edges, found none");
    }
    return terms;
  }

  /// Where the scores of the edges from one on are; 0 if edges have none of their own.
  long scores(long edge) {
    return scores == null ? 0 : scores.data().address() + edge * scores.cols() * Float.BYTES;
  }

  /// Checks that scores of edges, if they have some, are of a number of heads.
  void requireScores(int heads) {
    if (scores != null) {
      Attention.require("scores of edges", scores, csr.nnz(), heads);
    }
  }

  /// The memory of the scores of edges; that of the columns if they have none of their own.
  MemorySegment scoreMemory() {
    return scores == null ? csr.columns() : scores.data();
  }

  /// Where the logarithms of the weights of the edges from one on are; 0 if edges weigh alike.
  long logWeights(long edge) {
    return logWeights == null ? 0 : logWeights.address() + edge * Float.BYTES;
  }

  /// {@return the matrix, `targets x sources`} Borrowed.
  public CsrMatrix csr() {
    return csr;
  }

  /// {@return the number of targets}
  public long targets() {
    return csr.rows();
  }

  /// {@return the number of sources}
  public int sources() {
    return csr.cols();
  }

  /// {@return the number of edges}
  public long count() {
    return csr.nnz();
  }

  RowTasks tasks() {
    return tasks;
  }

  /// {@return the edges by source} Cost: two passes over the edges.
  ///
  /// @param arena owner of the new memory
  public Transposed transposed(Arena arena) {
    MemorySegment pointers = arena.allocate((sources() + 1L) * Long.BYTES, Long.BYTES);
    for (long e = 0; e < count(); e++) {
      long at = (csr.column(e) + 1L) * Long.BYTES;
      pointers.set(LONG, at, pointers.get(LONG, at) + 1);
    }
    for (long u = 0; u < sources(); u++) {
      long sum = pointers.get(LONG, u * Long.BYTES) + pointers.get(LONG, (u + 1) * Long.BYTES);
      pointers.set(LONG, (u + 1) * Long.BYTES, sum);
    }
    MemorySegment targets = arena.allocate(count() * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment edges = numbered(arena, pointers, targets);
    return new Transposed(
        CsrMatrix.wrap(sources(), Math.toIntExact(targets()), pointers, targets, null), edges);
  }

  /// Returns the transpose of a symmetric pattern, which shares its memory. The caller must ensure
  /// symmetry and ascending column ids.
  ///
  /// @param arena owner of the edges' numbers
  /// @return the edges by source
  public Transposed symmetricTransposed(Arena arena) {
    if (targets() != sources()) {
      throw new IllegalArgumentException("edges: the pattern is %s, not symmetric".formatted(csr));
    }
    return new Transposed(csr, numbered(arena, csr.rowPointers(), null));
  }

  /// The number of the edge that each entry of the transpose is.
  ///
  /// @param pointers of the transpose
  /// @param targets receives the column ids of the transpose, unless they are there already
  private MemorySegment numbered(
      Arena arena, MemorySegment pointers, @Nullable MemorySegment targets) {
    MemorySegment edges = arena.allocate(count() * Integer.BYTES, DenseMatrix.ALIGNMENT);
    long[] next = new long[sources()];
    for (int u = 0; u < next.length; u++) {
      next[u] = pointers.get(LONG, (long) u * Long.BYTES);
    }
    for (long v = 0; v < targets(); v++) {
      for (long e = csr.rowPointer(v); e < csr.rowPointer(v + 1); e++) {
        long at = next[csr.column(e)]++ * Integer.BYTES;
        edges.set(INT, at, (int) e);
        if (targets != null) {
          targets.set(INT, at, (int) v);
        }
      }
    }
    return edges;
  }

  /// {@return the bytes of a transpose}
  ///
  /// @param sources number of sources
  /// @param edges number of edges
  /// @param symmetric whether it shares the pattern's memory
  public static long transposedBytes(long sources, long edges, boolean symmetric) {
    return edges * Integer.BYTES + (symmetric ? 0 : CsrMatrix.bytes(sources, edges, false));
  }

  /// The edges of an [EdgePattern] by source: a pattern `sources x targets`, with the number of the
  /// edge in the [EdgePattern] for each entry. Immutable.
  public static final class Transposed {
    private final CsrMatrix csr;
    private final MemorySegment edges;
    private final RowTasks tasks;

    private Transposed(CsrMatrix csr, MemorySegment edges) {
      this.csr = csr;
      this.edges = edges;
      tasks = RowTasks.of(csr);
    }

    /// {@return the matrix, `sources x targets`, with the outgoing edges of a source in each row}
    /// Borrowed.
    public CsrMatrix csr() {
      return csr;
    }

    /// {@return the number in the [EdgePattern] of an entry's edge}
    ///
    /// @param entry of the transpose
    public long edge(long entry) {
      return Integer.toUnsignedLong(edges.get(INT, entry * Integer.BYTES));
    }

    /// The numbers of all entries, `uint32[count]`.
    MemorySegment edges() {
      return edges;
    }

    RowTasks tasks() {
      return tasks;
    }
  }
}
