package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/// The normalised matrix `Â` that propagates features along the arcs of a graph, and its transpose,
/// as a description. [#all] computes the whole matrices, [#rows] only the rows of given vertices.
///
/// `Â` is `A^T` (row = target, so that a vertex sums over its in-neighbours), optionally with a
/// self loop for every vertex, scaled by a [Normalisation] through row and column scales: a graph
/// without weights stays a pattern. An undirected graph stores its entries once for both matrices;
/// a directed graph stores `A` and `A^T`.
///
/// @param a `A` with canonical rows; borrowed
/// @param directed whether `A` differs from `A^T`
/// @param selfLoops whether a vertex without a self loop gets one, of weight 1
/// @param normalisation scaling of rows and columns
public record Propagation(
    CsrMatrix a, boolean directed, Normalisation normalisation, boolean selfLoops) {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Checks that no component is null.
  public Propagation {
    Objects.requireNonNull(a, "a");
    Objects.requireNonNull(normalisation, "normalisation");
  }

  /// {@return whether `Â` equals its transpose in entries and scales, so that one matrix serves
  /// both passes}
  public boolean isSymmetric() {
    return !directed && normalisation != Normalisation.ROW_MEAN;
  }

  /// {@return all rows, in the order of the vertices}
  ///
  /// @param arena owner of the result; entries of a graph that needs no self loops are borrowed
  ///   from `a`
  public PropagationRows all(Arena arena) {
    CsrMatrix outgoing = selfLoops ? SelfLoops.added(arena, a) : a;
    CsrMatrix incoming = directed ? outgoing.transpose(arena) : outgoing;
    IntUnaryOperator identity = IntUnaryOperator.identity();
    int n = a.cols();
    return scaled(arena, outgoing, incoming, n, identity, identity);
  }

  /// {@return the rows of given vertices under a permutation of all vertices, as needed by one of
  /// several ranks (SA, section 4)}. Reads `a` row by row, as a whole only if the graph is
  /// directed. Memory: the result and two numbers per vertex.
  ///
  /// @param arena owner of the result
  /// @param vertices whose rows, in the order of the result
  /// @param newIds the column of each vertex in the result, a permutation of `0..n-1`
  public PropagationRows rows(Arena arena, int[] vertices, int[] newIds) {
    PermutedRows permuted = new PermutedRows(a, newIds, selfLoops);
    CsrMatrix outgoing = permuted.outgoing(arena, vertices);
    CsrMatrix incoming = directed ? permuted.incoming(arena, vertices) : outgoing;
    return scaled(arena, outgoing, incoming, vertices.length, r -> vertices[r], v -> newIds[v]);
  }

  /// Applies the scales to the entries.
  ///
  /// @param vertexOfRow the vertex of each row
  /// @param columnOf the column of each vertex
  private PropagationRows scaled(
      Arena arena,
      CsrMatrix outgoing,
      CsrMatrix incoming,
      int rows,
      IntUnaryOperator vertexOfRow,
      IntUnaryOperator columnOf) {
    double @Nullable [] left = null;
    double @Nullable [] right = null;
    switch (normalisation) {
      case SYMMETRIC -> {
        left = powers(directed ? inDegrees() : outDegrees(), -0.5);
        right = directed ? powers(outDegrees(), -0.5) : left;
      }
      case ROW_MEAN -> left = powers(directed ? inDegrees() : outDegrees(), -1);
      case NONE -> {}
    }
    CsrMatrix forward =
        incoming.withScales(
            ofRows(arena, left, rows, vertexOfRow), ofColumns(arena, right, columnOf));
    if (isSymmetric()) {
      return new PropagationRows(forward, forward, true);
    }
    CsrMatrix backward =
        outgoing.withScales(
            ofRows(arena, right, rows, vertexOfRow), ofColumns(arena, left, columnOf));
    return new PropagationRows(forward, backward, !directed);
  }

  /// {@return the number of entries of each row of `Â`, without computing it}. Cost: a pass over
  /// the entries if the graph is directed.
  public int[] rowLengths() {
    int[] lengths = new int[a.cols()];
    long nnz = directed ? a.nnz() : 0;
    for (long e = 0; e < nnz; e++) {
      lengths[a.column(e)]++;
    }
    for (int v = 0; v < lengths.length; v++) {
      lengths[v] += missingLoop(v) + (directed ? 0 : (int) a.rowLength(v));
    }
    return lengths;
  }

  /// {@return the number of bytes that [#all] allocates}
  public long bytes() {
    long n = a.rows();
    long entries = selfLoops ? a.nnz() + n : a.nnz();
    long matrix = CsrMatrix.bytes(n, entries, a.values() != null);
    return (selfLoops ? matrix : 0)
        + (directed ? matrix : 0)
        + (normalisation == Normalisation.NONE ? 0 : 4 * n * Float.BYTES);
  }

  /// Sum of each row of `A` with its self loop.
  private double[] outDegrees() {
    double[] degrees = new double[a.cols()];
    for (int v = 0; v < degrees.length; v++) {
      double degree = missingLoop(v);
      if (a.values() == null) {
        degree += a.rowLength(v);
      } else {
        for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
          degree += a.value(e);
        }
      }
      degrees[v] = degree;
    }
    return degrees;
  }

  /// Sum of each column of `A` with its self loop.
  private double[] inDegrees() {
    double[] degrees = new double[a.cols()];
    for (int v = 0; v < degrees.length; v++) {
      degrees[v] = missingLoop(v);
    }
    long nnz = a.nnz();
    for (long e = 0; e < nnz; e++) {
      degrees[a.column(e)] += a.value(e);
    }
    return degrees;
  }

  private int missingLoop(int v) {
    return selfLoops && SelfLoops.missing(a, v) ? 1 : 0;
  }

  /// `degree^power`, 0 for a vertex without entries; in place.
  private static double[] powers(double[] degrees, double power) {
    for (int v = 0; v < degrees.length; v++) {
      degrees[v] = degrees[v] > 0 ? Math.pow(degrees[v], power) : 0;
    }
    return degrees;
  }

  private static @Nullable MemorySegment ofRows(
      Arena arena, double @Nullable [] scales, int rows, IntUnaryOperator vertexOfRow) {
    if (scales == null) {
      return null;
    }
    MemorySegment result = arena.allocate((long) rows * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int r = 0; r < rows; r++) {
      result.set(FLOAT, (long) r * Float.BYTES, (float) scales[vertexOfRow.applyAsInt(r)]);
    }
    return result;
  }

  private static @Nullable MemorySegment ofColumns(
      Arena arena, double @Nullable [] scales, IntUnaryOperator columnOf) {
    if (scales == null) {
      return null;
    }
    MemorySegment result =
        arena.allocate((long) scales.length * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int v = 0; v < scales.length; v++) {
      result.set(FLOAT, (long) columnOf.applyAsInt(v) * Float.BYTES, (float) scales[v]);
    }
    return result;
  }
}
