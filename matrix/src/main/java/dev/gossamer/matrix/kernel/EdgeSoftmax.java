package dev.gossamer.matrix.kernel;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The inner loops of the softmax over the edges that come into one target, head by head, and of
/// its backward pass. Lanes are heads; the exponentials alone go over edges and heads together.
/// Edges are summed in ascending order. Rows are addresses, as in [SpmmRows].
final class EdgeSoftmax {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private EdgeSoftmax() {}

  /// The coefficients of a target: `alpha[k] = softmax over k of leaky(e[id[k]] + own)`.
  ///
  /// @param ids address of the sources, `int32[count]`
  /// @param e address of row 0 of the sources' scores
  /// @param pitch bytes from row to row of `e`
  /// @param own address of the target's scores, `float32[heads]`
  /// @param alpha address of the result, `count x heads`, overwritten
  static void row(long ids, long count, long e, long pitch, long own, int heads, long alpha) {
    if (count == 0) {
      return;
    }
    long step = (long) heads * Float.BYTES;
    for (int h = 0; h < heads; h += LANES) {
      shiftedScores(ids, count, e, pitch, own, heads, h, alpha);
    }
    exponentials(alpha, count * heads);
    for (int h = 0; h < heads; h += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(h, heads);
      long column = alpha + (long) h * Float.BYTES;
      FloatVector sum = FloatVector.zero(SPECIES);
      for (long k = 0; k < count; k++) {
        long at = Memory.at(column + k * step);
        sum = sum.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, inside));
      }
      FloatVector inverse = FloatVector.broadcast(SPECIES, 1f).div(sum);
      for (long k = 0; k < count; k++) {
        long at = Memory.at(column + k * step);
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, inside)
            .mul(inverse)
            .intoMemorySegment(Memory.ALL, at, ORDER, inside);
      }
    }
  }

  /// The scores of some heads less their largest.
  ///
  /// @param h first of the heads
  private static void shiftedScores(
      long ids, long count, long e, long pitch, long own, int heads, int h, long alpha) {
    VectorMask<Float> inside = SPECIES.indexInRange(h, heads);
    long step = (long) heads * Float.BYTES;
    long shift = (long) h * Float.BYTES;
    FloatVector mine =
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(own + shift), ORDER, inside);
    FloatVector highest = FloatVector.broadcast(SPECIES, Float.NEGATIVE_INFINITY);
    for (long k = 0; k < count; k++) {
      long u = Memory.ALL.get(INT, Memory.at(ids + k * Integer.BYTES));
      FloatVector score =
          FloatVector.fromMemorySegment(
                  SPECIES, Memory.ALL, Memory.at(e + u * pitch + shift), ORDER, inside)
              .add(mine);
      score = score.blend(score.mul(Attention.SLOPE), score.compare(VectorOperators.LT, 0f));
      score.intoMemorySegment(Memory.ALL, Memory.at(alpha + k * step + shift), ORDER, inside);
      highest = highest.blend(score, score.compare(VectorOperators.GT, highest));
    }
    for (long k = 0; k < count; k++) {
      long at = Memory.at(alpha + k * step + shift);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, inside)
          .sub(highest)
          .intoMemorySegment(Memory.ALL, at, ORDER, inside);
    }
  }

  private static void exponentials(long at, long count) {
    long whole = count / LANES * LANES;
    for (long i = 0; i < whole; i += LANES) {
      long to = Memory.at(at + i * Float.BYTES);
      SoftmaxCrossEntropy.exp(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, to, ORDER))
          .intoMemorySegment(Memory.ALL, to, ORDER);
    }
    if (whole < count) {
      VectorMask<Float> rest = SPECIES.indexInRange(0, (int) (count - whole));
      long to = Memory.at(at + whole * Float.BYTES);
      SoftmaxCrossEntropy.exp(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, to, ORDER, rest))
          .intoMemorySegment(Memory.ALL, to, ORDER, rest);
    }
  }

  /// The backward pass: the gradient of the scores from that of the coefficients.
  ///
  /// @param ids address of the sources, `int32[count]`
  /// @param e address of row 0 of the sources' scores
  /// @param pitch bytes from row to row of `e`
  /// @param own address of the target's scores, `float32[heads]`
  /// @param alpha address of the coefficients, negative where they were dropped
  /// @param scale what kept coefficients were multiplied by
  /// @param g address of the gradient, `count x heads`: of the coefficients as they were used in,
  ///   of `e[id[k]] + own` out
  /// @param sums address of the sum of the latter over `k`, `float32[heads]`, overwritten
  static void backwardRow(
      long ids,
      long count,
      long e,
      long pitch,
      long own,
      int heads,
      long alpha,
      float scale,
      long g,
      long sums) {
    long step = (long) heads * Float.BYTES;
    FloatVector zero = FloatVector.zero(SPECIES);
    for (int h = 0; h < heads; h += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(h, heads);
      long shift = (long) h * Float.BYTES;
      FloatVector mean = zero;
      for (long k = 0; k < count; k++) {
        long at = k * step + shift;
        FloatVector a =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(alpha + at), ORDER, inside);
        FloatVector used =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(g + at), ORDER, inside);
        FloatVector kept = zero.blend(used.mul(scale), a.compare(VectorOperators.GT, 0f));
        kept.intoMemorySegment(Memory.ALL, Memory.at(g + at), ORDER, inside);
        mean = a.abs().fma(kept, mean);
      }
      FloatVector mine =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(own + shift), ORDER, inside);
      FloatVector sum = zero;
      for (long k = 0; k < count; k++) {
        long at = k * step + shift;
        long u = Memory.ALL.get(INT, Memory.at(ids + k * Integer.BYTES));
        FloatVector score =
            FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(e + u * pitch + shift), ORDER, inside)
                .add(mine);
        FloatVector d =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(alpha + at), ORDER, inside)
                .abs()
                .mul(
                    FloatVector.fromMemorySegment(
                            SPECIES, Memory.ALL, Memory.at(g + at), ORDER, inside)
                        .sub(mean));
        d = d.blend(d.mul(Attention.SLOPE), score.compare(VectorOperators.LT, 0f));
        d.intoMemorySegment(Memory.ALL, Memory.at(g + at), ORDER, inside);
        sum = sum.add(d);
      }
      sum.intoMemorySegment(Memory.ALL, Memory.at(sums + shift), ORDER, inside);
    }
  }
}
