package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.sparse.Spgemm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// `A . A`, the squares of the entries of rows of `Â`, as the right side of products: made when
/// they are first asked for, and kept. Memory: 4 bytes for each entry that has a value.
///
/// Squares of large weights are no floats, nor are those of small ones. So they are in units of the
/// largest weight, rounded down to a power of two, and scales of rows in its inverse; no other
/// digit changes by that. Entries of less than `2^-74` units count as 0.
final class Squares {
  /// Scales above it would have squares whose sums are not finite.
  private static final float LARGEST_SCALE = 0x1p50f;

  private final CsrMatrix matrix;
  private @Nullable Spgemm product;
  private float unit = 1;

  /// @param matrix rows of `Â`; borrowed
  Squares(CsrMatrix matrix) {
    this.matrix = matrix;
  }

  /// {@return `P = Q (A . A)` up to a factor, without the scales of columns}
  ///
  /// @param arena shared, owner of `P`
  /// @param starts first place in `at` of each row of `Q`, and the number of places
  /// @param at the rows of `A` where rows of `Q` have an entry
  /// @param workers for the product
  CsrMatrix product(Arena arena, long[] starts, int[] at, Workers workers) {
    Spgemm squares = product;
    if (squares == null) {
      squares = squares();
      product = squares;
    }
    float @Nullable [] values = null;
    if (matrix.rowScale() != null) {
      values = new float[at.length];
      for (int i = 0; i < values.length; i++) {
        float scale = Math.min(matrix.rowScale(at[i]) * unit, LARGEST_SCALE);
        values[i] = scale * scale;
      }
    }
    CsrMatrix q = CsrMatrix.of(arena, Math.toIntExact(matrix.rows()), starts, at, values);
    return squares.multiply(arena, q, workers);
  }

  private Spgemm squares() {
    if (matrix.values() == null) {
      return new Spgemm(matrix.withScales(null, null));
    }
    float largest = 0;
    for (long e = 0; e < matrix.nnz(); e++) {
      largest = Math.max(largest, Math.abs(matrix.value(e)));
    }
    unit = largest == 0 ? 1 : Math.scalb(1f, Math.getExponent(largest));
    MemorySegment squared =
        Arena.ofAuto().allocate(matrix.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long e = 0; e < matrix.nnz(); e++) {
      float value = matrix.value(e) / unit;
      squared.setAtIndex(ValueLayout.JAVA_FLOAT, e, value * value);
    }
    return new Spgemm(matrix.withValues(squared).withScales(null, null));
  }
}
