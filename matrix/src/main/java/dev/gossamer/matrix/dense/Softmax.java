package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.Lanes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Softmax over the classes of each row: with the largest number `m` of the row,
///
/// `p[i][c] = exp(z[i][c] - m) / sum over c of exp(z[i][c] - m)`.
///
/// Subtracting `m` keeps every exponent in range. The exponential is our own polynomial with an
/// error below 2 ulp, because results of the built-in one differ between interpreted and compiled
/// code.
public final class Softmax {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Below it the exponential is taken for zero: it would be a subnormal number.
  private static final float LOWEST = -86f;

  private static final float LOG2_E = 1.442695f;
  private static final float LN2_HIGH = 0x1.63p-1f;
  private static final float LN2_LOW = -2.1219444e-4f;

  /// Adding it rounds to an integer, which the low bits then hold.
  private static final float ROUNDER = 0x1.8p23f;

  private Softmax() {}

  /// Turns each row of logits into probabilities.
  ///
  /// @param logits `n x C`, overwritten
  /// @param w threads that share the work
  public static void softmax(DenseMatrix logits, Workers w) {
    Epilogues.apply(
        (y, begin, end) -> {
          for (long i = begin; i < end; i++) {
            long at = y.offset(i);
            float sum = exponentials(y.data(), at, y.cols(), highest(y.data(), at, y.cols()));
            scale(y.data(), at, y.cols(), 1f / sum);
          }
        },
        logits,
        w);
  }

  /// Multiplies all logits.
  ///
  /// @param logits `n x C`, overwritten
  /// @param factor finite
  /// @param w threads that share the work
  public static void scale(DenseMatrix logits, float factor, Workers w) {
    Epilogues.apply(
        (y, begin, end) -> {
          for (long i = begin; i < end; i++) {
            scale(y.data(), y.offset(i), y.cols(), factor);
          }
        },
        logits,
        w);
  }

  /// Finds the class with the highest score in each row, the first on ties; NaN is ignored, and a
  /// row of only NaN gets class 0.
  ///
  /// @param scores `n x C`, `C >= 1`
  /// @param classes `n` classes, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the sizes do not fit
  public static void argmax(DenseMatrix scores, int[] classes, Workers w) {
    if (scores.cols() < 1 || classes.length != scores.rows()) {
      throw new IllegalArgumentException(
          "argmax: scores are %s but there is room for %d classes"
              .formatted(scores, classes.length));
    }
    Epilogues.apply(
        (y, begin, end) -> {
          for (long i = begin; i < end; i++) {
            classes[(int) i] = argmax(y, i);
          }
        },
        scores,
        w);
  }

  private static int argmax(DenseMatrix y, long i) {
    int best = 0;
    float highest = Float.NEGATIVE_INFINITY;
    for (int j = 0; j < y.cols(); j++) {
      float v = y.data().get(FLOAT, y.offset(i) + (long) j * Float.BYTES);
      if (v > highest) {
        highest = v;
        best = j;
      }
    }
    return best;
  }

  /// {@return the largest number of a row}
  static float highest(MemorySegment z, long at, int cols) {
    FloatVector lowest = FloatVector.broadcast(SPECIES, Float.NEGATIVE_INFINITY);
    FloatVector highest = lowest;
    int j = 0;
    for (; j + LANES <= cols; j += LANES) {
      highest = highest.max(FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER));
    }
    if (j < cols) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER, inside);
      highest = highest.max(lowest.blend(v, inside));
    }
    return highest.reduceLanes(VectorOperators.MAX);
  }

  private static long place(long at, int j) {
    return at + (long) j * Float.BYTES;
  }

  /// Replaces a row by `exp(z - highest)` and returns its sum.
  static float exponentials(MemorySegment z, long at, int cols, float highest) {
    FloatVector sum = FloatVector.zero(SPECIES);
    int j = 0;
    for (; j + LANES <= cols; j += LANES) {
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER);
      FloatVector e = exp(v.sub(highest));
      e.intoMemorySegment(z, place(at, j), ORDER);
      sum = sum.add(e);
    }
    if (j < cols) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER, inside);
      FloatVector e = exp(v.sub(highest));
      e.intoMemorySegment(z, place(at, j), ORDER, inside);
      sum = sum.add(FloatVector.zero(SPECIES).blend(e, inside));
    }
    return Lanes.sum(sum);
  }

  /// Multiplies a row.
  static void scale(MemorySegment z, long at, int cols, float factor) {
    int j = 0;
    for (; j + LANES <= cols; j += LANES) {
      FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER)
          .mul(factor)
          .intoMemorySegment(z, place(at, j), ORDER);
    }
    if (j < cols) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
      FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER, inside)
          .mul(factor)
          .intoMemorySegment(z, place(at, j), ORDER, inside);
    }
  }

  /// {@return `1 / (1 + exp(-z))`}
  ///
  /// @param z any number
  /// @param e `exp(-|z|)`
  static FloatVector logistic(FloatVector z, FloatVector e) {
    FloatVector r = FloatVector.broadcast(SPECIES, 1f).div(e.add(1f));
    return r.blend(e.mul(r), z.compare(VectorOperators.LT, 0f));
  }

  /// {@return the exponential for `x <= 0`: `2^n exp(r)` with `n` the nearest integer to `x / ln 2`
  /// and the Cephes library's polynomial for `exp(r)`}
  ///
  /// @param x each lane at most 0
  public static FloatVector exp(FloatVector x) {
    FloatVector rounded =
        x.fma(FloatVector.broadcast(SPECIES, LOG2_E), FloatVector.broadcast(SPECIES, ROUNDER));
    FloatVector n = rounded.sub(ROUNDER);
    FloatVector r = n.fma(FloatVector.broadcast(SPECIES, -LN2_HIGH), x);
    r = n.fma(FloatVector.broadcast(SPECIES, -LN2_LOW), r);
    FloatVector p = FloatVector.broadcast(SPECIES, 1.9875691e-4f);
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.0013981999f));
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.008333452f));
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.041665796f));
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.16666666f));
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.5f));
    p = p.fma(r.mul(r), r.add(1f));
    IntVector power = rounded.reinterpretAsInts().lanewise(VectorOperators.LSHL, 23);
    FloatVector e = p.reinterpretAsInts().add(power).reinterpretAsFloats();
    return e.blend(0f, x.compare(VectorOperators.LT, LOWEST))
        .blend(Float.NaN, x.test(VectorOperators.IS_NAN));
  }
}
