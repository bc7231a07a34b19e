package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The normalised matrix `Â` that propagates features along the arcs of a graph, and its transpose.
///
/// `Â` is `A^T` (row = target, so that a vertex sums over its in-neighbours), with a self loop for
/// every vertex if asked, scaled by a [Normalisation] through row and column scales: a graph
/// without weights stays a pattern. An undirected graph stores its entries once for both; a
/// directed graph stores `A` and `A^T`.
///
/// @param forward `Â` (`n x n`)
/// @param backward `Â^T`
public record Propagation(CsrMatrix forward, CsrMatrix backward) {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// @param arena owner of what is made; entries of a graph that needs no self loops are borrowed
  ///   from the data set
  /// @param a `A` with canonical rows
  public static Propagation of(
      Arena arena, CsrMatrix a, boolean directed, Normalisation normalisation, boolean selfLoops) {
    CsrMatrix outgoing = selfLoops ? withSelfLoops(arena, a) : a;
    CsrMatrix incoming = directed ? outgoing.transpose(arena) : outgoing;
    MemorySegment left = null;
    MemorySegment right = null;
    switch (normalisation) {
      case SYMMETRIC -> {
        left = powerOfDegrees(arena, incoming, -0.5);
        right = directed ? powerOfDegrees(arena, outgoing, -0.5) : left;
      }
      case ROW_MEAN -> left = powerOfDegrees(arena, incoming, -1);
      case NONE -> {}
    }
    return new Propagation(incoming.withScales(left, right), outgoing.withScales(right, left));
  }

  /// Whether `Â` and its transpose are the same entries with the same scales, so that one serves
  /// both passes.
  public boolean isSymmetric() {
    return forward.columns().equals(backward.columns())
        && Objects.equals(forward.rowScale(), backward.rowScale())
        && Objects.equals(forward.columnScale(), backward.columnScale());
  }

  /// Bytes that [#of] takes, before it does.
  public static long bytes(CsrMatrix a, boolean directed, boolean selfLoops) {
    long n = a.rows();
    long entries = selfLoops ? a.nnz() + n : a.nnz();
    long matrix = CsrMatrix.bytes(n, entries, a.values() != null);
    return (selfLoops ? matrix : 0) + (directed ? matrix : 0) + 2 * n * Float.BYTES;
  }

  /// The same matrix with a 1 on the diagonal of every row that has no entry there.
  static CsrMatrix withSelfLoops(Arena arena, CsrMatrix a) {
    long n = a.rows();
    MemorySegment pointers = arena.allocate((n + 1) * Long.BYTES, Long.BYTES);
    long total = 0;
    for (long v = 0; v < n; v++) {
      total += a.rowLength(v) + (diagonal(a, v) < 0 ? 1 : 0);
      pointers.set(LONG, (v + 1) * Long.BYTES, total);
    }
    MemorySegment columns = arena.allocate(total * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment values =
        a.values() == null ? null : arena.allocate(total * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int v = 0; v < n; v++) {
      long from = a.rowPointer(v);
      long to = pointers.get(LONG, (long) v * Long.BYTES);
      long found = diagonal(a, v);
      long before = (found < 0 ? -found - 1 : found) - from;
      copy(a, from, columns, values, to, before);
      if (found < 0) {
        columns.set(INT, (to + before) * Integer.BYTES, v);
        if (values != null) {
          values.set(FLOAT, (to + before) * Float.BYTES, 1f);
        }
      }
      copy(
          a,
          from + before,
          columns,
          values,
          to + before + (found < 0 ? 1 : 0),
          a.rowLength(v) - before);
    }
    return CsrMatrix.wrap(n, a.cols(), pointers, columns, values);
  }

  /// Where column `v` stands in row `v`, or `-(where it belongs) - 1`.
  private static long diagonal(CsrMatrix a, long v) {
    long low = a.rowPointer(v);
    long high = a.rowPointer(v + 1);
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (a.column(middle) < v) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < a.rowPointer(v + 1) && a.column(low) == v ? low : -low - 1;
  }

  private static void copy(
      CsrMatrix a,
      long from,
      MemorySegment columns,
      @Nullable MemorySegment values,
      long to,
      long count) {
    MemorySegment.copy(
        a.columns(), from * Integer.BYTES, columns, to * Integer.BYTES, count * Integer.BYTES);
    if (values != null && a.values() != null) {
      MemorySegment.copy(
          a.values(), from * Float.BYTES, values, to * Float.BYTES, count * Float.BYTES);
    }
  }

  /// `(sum of row v)^power`, 0 for an empty row.
  private static MemorySegment powerOfDegrees(Arena arena, CsrMatrix a, double power) {
    MemorySegment scales = arena.allocate(a.rows() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long v = 0; v < a.rows(); v++) {
      double degree = a.rowLength(v);
      if (a.values() != null) {
        degree = 0;
        for (long e = a.rowPointer(v); e < a.rowPointer(v + 1); e++) {
          degree += a.value(e);
        }
      }
      scales.set(FLOAT, v * Float.BYTES, degree > 0 ? (float) Math.pow(degree, power) : 0f);
    }
    return scales;
  }
}
