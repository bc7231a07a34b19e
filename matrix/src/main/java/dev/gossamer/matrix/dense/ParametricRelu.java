package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The parametric ReLU with one slope `a` (K. He et al., ICCV 2015): `y = x` if positive, otherwise
/// `a x`. NaN stays NaN.
public final class ParametricRelu {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private ParametricRelu() {}

  /// {@return the epilogue that applies it}
  ///
  /// @param slope `a`
  public static RowEpilogue rows(float slope) {
    return (y, begin, end) -> {
      long stop = y.offset(end);
      for (long at = y.offset(begin); at < stop; at += SPECIES.vectorByteSize()) {
        VectorMask<Float> inside = inside(at, stop);
        FloatVector v = FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER, inside);
        v.mul(slope)
            .blend(v, v.compare(VectorOperators.GT, 0f))
            .intoMemorySegment(y.data(), at, ORDER, inside);
      }
    };
  }

  /// {@return the backward pass, in place over the argument: `x[i] = gradient[i]` where `x` is
  /// positive, otherwise `a gradient[i]`}
  ///
  /// @param gradient of the result, with the columns of `x`, and at least its rows
  /// @param slope `a`
  public static RowEpilogue gated(DenseMatrix gradient, float slope) {
    return (x, begin, end) -> {
      require(gradient, x);
      long stop = x.offset(end);
      for (long at = x.offset(begin); at < stop; at += SPECIES.vectorByteSize()) {
        VectorMask<Float> inside = inside(at, stop);
        FloatVector v = FloatVector.fromMemorySegment(SPECIES, x.data(), at, ORDER, inside);
        FloatVector t = FloatVector.fromMemorySegment(SPECIES, gradient.data(), at, ORDER, inside);
        t.mul(slope)
            .blend(t, v.compare(VectorOperators.GT, 0f))
            .intoMemorySegment(x.data(), at, ORDER, inside);
      }
    };
  }

  private static VectorMask<Float> inside(long at, long stop) {
    return SPECIES.indexInRange(0, (int) Math.min(LANES, (stop - at) / Float.BYTES));
  }

  /// {@return the gradient of the slope: the sum of `gradient x` where `x` is not positive, in
  /// float64 and in an order that does not depend on the number of threads}
  ///
  /// @param x the argument
  /// @param gradient of the result, with the columns of `x`, and at least its rows
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not match
  public static double slopeGradient(DenseMatrix x, DenseMatrix gradient, Workers w) {
    require(gradient, x);
    return TaskSums.of(
        Math.toIntExact(x.rows()),
        Math.max(1, x.cols()),
        w,
        (begin, end) -> {
          double sum = 0;
          for (long at = x.offset(begin); at < x.offset(end); at += Float.BYTES) {
            float v = x.data().get(FLOAT, at);
            if (!(v > 0)) {
              sum += (double) v * gradient.data().get(FLOAT, at);
            }
          }
          return sum;
        });
  }

  private static void require(DenseMatrix gradient, DenseMatrix x) {
    if (gradient.cols() != x.cols() || gradient.rows() < x.rows()) {
      throw new IllegalArgumentException(
          "parametric relu: the gradient is %s but the argument is %s".formatted(gradient, x));
    }
  }
}
