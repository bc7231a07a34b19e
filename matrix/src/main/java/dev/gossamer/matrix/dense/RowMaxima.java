package dev.gossamer.matrix.dense;

import dev.gossamer.matrix.DenseMatrix;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The elementwise maximum of matrices of one shape, which come in turn, and for each element the
/// number of the matrix that it is of: rows of `2 d` columns, first the maxima and then the
/// numbers. Of equal elements, that of the earlier matrix counts; NaN is greater than any number.
public final class RowMaxima {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private RowMaxima() {}

  /// {@return columns of maxima and numbers}
  ///
  /// @param width `d`
  public static int columns(int width) {
    return 2 * width;
  }

  /// Returns the epilogue of maxima that takes the elements of a matrix that are greater. The first
  /// matrix overwrites whatever is there.
  ///
  /// @param h with half the columns of the maxima, and at least their rows
  /// @param number of the matrix, 0 for the first, less than 2^24
  /// @return the step
  public static RowEpilogue take(DenseMatrix h, int number) {
    return (y, begin, end) -> {
      require(h, y, h.rows() >= y.rows());
      int width = h.cols();
      for (long i = begin; i < end; i++) {
        for (int j = 0; j < width; j += LANES) {
          VectorMask<Float> inside = SPECIES.indexInRange(j, width);
          FloatVector v = load(h, i, j, inside);
          FloatVector most = load(y, i, j, inside);
          VectorMask<Float> greater =
              number == 0
                  ? inside
                  : v.compare(VectorOperators.GT, most).or(v.test(VectorOperators.IS_NAN));
          store(most.blend(v, greater), y, i, j, inside);
          store(load(y, i, width + j, inside).blend(number, greater), y, i, width + j, inside);
        }
      }
    };
  }

  /// Returns the epilogue `y[i][j] += gradient[i][j]` where the number is that of a matrix: its
  /// part of the gradient of the maxima.
  ///
  /// @param maxima whose first `d` columns are the gradient, with at least the rows of `y`
  /// @param number of the matrix whose gradient `y` is
  /// @return the step
  public static RowEpilogue addTaken(DenseMatrix maxima, int number) {
    return (y, begin, end) -> {
      require(y, maxima, maxima.rows() >= y.rows());
      int width = y.cols();
      for (long i = begin; i < end; i++) {
        for (int j = 0; j < width; j += LANES) {
          VectorMask<Float> inside = SPECIES.indexInRange(j, width);
          VectorMask<Float> taken =
              load(maxima, i, width + j, inside).compare(VectorOperators.EQ, number);
          store(load(y, i, j, inside).add(load(maxima, i, j, inside), taken), y, i, j, inside);
        }
      }
    };
  }

  private static FloatVector load(DenseMatrix x, long row, int col, VectorMask<Float> inside) {
    return FloatVector.fromMemorySegment(SPECIES, x.data(), at(x, row, col), ORDER, inside);
  }

  private static void store(
      FloatVector v, DenseMatrix x, long row, int col, VectorMask<Float> inside) {
    v.intoMemorySegment(x.data(), at(x, row, col), ORDER, inside);
  }

  private static long at(DenseMatrix x, long row, int col) {
    return x.offset(row) + (long) col * Float.BYTES;
  }

  private static void require(DenseMatrix half, DenseMatrix maxima, boolean hasRows) {
    if (maxima.cols() != columns(half.cols()) || !hasRows) {
      throw new IllegalArgumentException(
          "maxima: they are %s but a matrix is %s".formatted(maxima, half));
    }
  }
}
