package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Divides rows by their sums, so that a long bag of words weighs no more than a short one (Kipf
/// and Welling, 2017, section 5.2).
final class RowNormalisation {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private RowNormalisation() {}

  static CsrMatrix of(Arena arena, CsrMatrix x) {
    MemorySegment values = arena.allocate(x.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long row = 0; row < x.rows(); row++) {
      double sum = 0;
      for (long e = x.rowPointer(row); e < x.rowPointer(row + 1); e++) {
        sum += x.value(e);
      }
      for (long e = x.rowPointer(row); e < x.rowPointer(row + 1); e++) {
        values.set(FLOAT, e * Float.BYTES, divided(x.value(e), sum));
      }
    }
    return x.withValues(values);
  }

  static DenseMatrix of(Arena arena, DenseMatrix x) {
    DenseMatrix result = DenseMatrix.allocate(arena, x.rows(), x.cols());
    for (long row = 0; row < x.rows(); row++) {
      double sum = 0;
      for (int col = 0; col < x.cols(); col++) {
        sum += x.get(row, col);
      }
      for (int col = 0; col < x.cols(); col++) {
        result.set(row, col, divided(x.get(row, col), sum));
      }
    }
    return result;
  }

  private static float divided(float value, double sum) {
    return sum == 0 ? value : (float) (value / sum);
  }
}
