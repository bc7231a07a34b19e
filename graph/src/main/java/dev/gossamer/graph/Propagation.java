package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/// The normalised matrix `Â` that propagates features along the arcs of a graph, and its transpose:
/// what they are. [#all] makes them whole, [#rows] makes the rows of some vertices and no others.
///
/// `Â` is `A^T` (row = target, so that a vertex sums over its in-neighbours), with a self loop for
/// every vertex if asked, scaled by a [Normalisation] through row and column scales: a graph
/// without weights stays a pattern. An undirected graph stores its entries once for both; a
/// directed graph stores `A` and `A^T`.
///
/// @param a `A` with canonical rows; borrowed
/// @param directed whether `A` differs from `A^T`
/// @param selfLoops whether a vertex without a self loop gets one, of weight 1
/// @param normalisation how rows and columns are scaled
public record Propagation(
    CsrMatrix a, boolean directed, Normalisation normalisation, boolean selfLoops) {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Checks that nothing is missing.
  public Propagation {
    Objects.requireNonNull(a, "a");
    Objects.requireNonNull(normalisation, "normalisation");
  }

  /// {@return whether `Â` and its transpose are the same entries with the same scales, so that one
  /// serves both passes}
  public boolean isSymmetric() {
    return !directed && normalisation != Normalisation.ROW_MEAN;
  }

  /// {@return all rows, in the order of the vertices}
  ///
  /// @param arena owner of what is made; entries of a graph that needs no self loops are borrowed
  ///   from `a`
  public PropagationRows all(Arena arena) {
    CsrMatrix outgoing = selfLoops ? SelfLoops.added(arena, a) : a;
    CsrMatrix incoming = directed ? outgoing.transpose(arena) : outgoing;
    IntUnaryOperator identity = IntUnaryOperator.identity();
    int n = a.cols();
    return scaled(arena, outgoing, incoming, n, identity, identity);
  }

  /// {@return the rows of some vertices under a permutation of all vertices, as one rank of many
  /// needs them (SA, section 4)}. Reads `a` row by row, the whole of it only if the graph is
  /// directed, and holds nothing of it but the result and two numbers per vertex.
  ///
  /// @param arena owner of what is made
  /// @param vertices whose rows, in the order of the result
  /// @param newIds the column of each vertex in the result, a permutation of `0..n-1`
  public PropagationRows rows(Arena arena, int[] vertices, int[] newIds) {
    PermutedRows permuted = new PermutedRows(a, newIds, selfLoops);
    CsrMatrix outgoing = permuted.outgoing(arena, vertices);
    CsrMatrix incoming = directed ? permuted.incoming(arena, vertices) : outgoing;
    return scaled(arena, outgoing, incoming, vertices.length, r -> vertices[r], v -> newIds[v]);
  }

  /// Gives entries their scales.
  ///
  /// @param vertexOfRow the vertex whose row each row is
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

  /// {@return entries of each row of `Â`, before there is one}. Cost: a pass over the entries if
  /// the graph is directed.
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

  /// {@return bytes that [#all] takes, before it does}
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
