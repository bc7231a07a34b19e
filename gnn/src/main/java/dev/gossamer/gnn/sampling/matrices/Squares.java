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
/// they are first asked for, and kept. Memory: 4 bytes for each entry that has a value, and for its
/// row.
///
/// Squares of large weights are no floats, nor are those of small ones. So those of a row are in
/// units of its largest weight, rounded down to a power of two, which its scale is multiplied by;
/// and scales in a row of a product are in units of the largest one. No other digit changes by
/// that. What is less than `2^-74` units counts as 0.
final class Squares {
  private final CsrMatrix matrix;
  private @Nullable Spgemm product;
  private float @Nullable [] units;

  /// @param matrix rows of `Â`; borrowed
  Squares(CsrMatrix matrix) {
    this.matrix = matrix;
  }

  /// {@return `P = Q (A . A)`, each row up to a factor, without the scales of columns}
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
    if (units != null || matrix.rowScale() != null) {
      values = new float[at.length];
      for (int row = 0; row < starts.length - 1; row++) {
        squareScales(at, Math.toIntExact(starts[row]), Math.toIntExact(starts[row + 1]), values);
      }
    }
    CsrMatrix q = CsrMatrix.of(arena, Math.toIntExact(matrix.rows()), starts, at, values);
    return squares.multiply(arena, q, workers);
  }

  /// The squares of the scales of one row of `Q`.
  private void squareScales(int[] at, int begin, int end, float[] values) {
    float largest = 0;
    for (int i = begin; i < end; i++) {
      float scale = matrix.rowScale(at[i]) * (units == null ? 1 : units[at[i]]);
      values[i] = scale;
      largest = Math.max(largest, scale);
    }
    float unit = unit(largest);
    for (int i = begin; i < end; i++) {
      float scale = values[i] / unit;
      values[i] = scale * scale;
    }
  }

  private Spgemm squares() {
    if (matrix.values() == null) {
      return new Spgemm(matrix.withScales(null, null));
    }
    float[] unitOfRow = new float[Math.toIntExact(matrix.rows())];
    MemorySegment squared =
        Arena.ofAuto().allocate(matrix.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int row = 0; row < unitOfRow.length; row++) {
      long begin = matrix.rowPointer(row);
      long end = matrix.rowPointer(row + 1);
      float largest = 0;
      for (long e = begin; e < end; e++) {
        largest = Math.max(largest, Math.abs(matrix.value(e)));
      }
      float unit = unit(largest);
      unitOfRow[row] = unit;
      for (long e = begin; e < end; e++) {
        float value = matrix.value(e) / unit;
        squared.setAtIndex(ValueLayout.JAVA_FLOAT, e, value * value);
      }
    }
    units = unitOfRow;
    return new Spgemm(matrix.withValues(squared).withScales(null, null));
  }

  /// The power of two up to a number.
  private static float unit(float largest) {
    return largest == 0 ? 1 : Math.scalb(1f, Math.getExponent(largest));
  }
}
