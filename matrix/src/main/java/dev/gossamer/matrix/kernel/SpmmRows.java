package dev.gossamer.matrix.kernel;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// The inner loops of [Spmm]: sums of weighted rows of `X`, a stripe of columns at a time.
///
/// Eight accumulators with names are what stays in registers and hides the latency of the
/// multiply-add; unrolling over entries as well was slower. A stripe is what the accumulators hold,
/// 512 bytes with AVX-512; what is left of a row is done by four, two and one, the last one masked.
final class SpmmRows {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private SpmmRows() {}

  /// Multiplies a block of rows.
  ///
  /// @param ints ids of the entries from 0; ends of the rows from `at`, relative to the first entry
  /// @param floats weights of the entries from 0; scales of the rows from `at`
  /// @param count rows
  /// @param row first row of `y`
  /// @param add whether to add to `y` or to overwrite it
  static void multiply(
      int[] ints,
      float[] floats,
      int at,
      int count,
      DenseMatrix x,
      DenseMatrix y,
      long row,
      boolean add) {
    int f = x.cols();
    long pitch = (long) f * Float.BYTES;
    long whole = (long) SPECIES.loopBound(f) * Float.BYTES;
    long column = 0;
    MemorySegment from = x.data();
    MemorySegment to = y.data();
    for (; column + 8 * BYTES <= whole; column += 8 * BYTES) {
      rows8(ints, floats, at, count, from, pitch, column, to, y.offset(row), add);
    }
    if (column + 4 * BYTES <= whole) {
      rows4(ints, floats, at, count, from, pitch, column, to, y.offset(row), add);
      column += 4 * BYTES;
    }
    if (column + 2 * BYTES <= whole) {
      rows2(ints, floats, at, count, from, pitch, column, to, y.offset(row), add);
      column += 2 * BYTES;
    }
    if (column + BYTES <= whole) {
      rows1(ints, floats, at, count, from, pitch, column, to, y.offset(row), add);
      column += BYTES;
    }
    if (column < pitch) {
      rest(ints, floats, at, count, from, pitch, column, to, y.offset(row), add);
    }
  }

  private static void rows8(
      int[] ints,
      float[] floats,
      int at,
      int count,
      MemorySegment x,
      long pitch,
      long column,
      MemorySegment y,
      long yOffset,
      boolean add) {
    int k = 0;
    long target = yOffset + column;
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      FloatVector sum2 = FloatVector.zero(SPECIES);
      FloatVector sum3 = FloatVector.zero(SPECIES);
      FloatVector sum4 = FloatVector.zero(SPECIES);
      FloatVector sum5 = FloatVector.zero(SPECIES);
      FloatVector sum6 = FloatVector.zero(SPECIES);
      FloatVector sum7 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = ints[k] * pitch + column;
        sum0 = load(x, source).fma(weight, sum0);
        sum1 = load(x, source + BYTES).fma(weight, sum1);
        sum2 = load(x, source + 2 * BYTES).fma(weight, sum2);
        sum3 = load(x, source + 3 * BYTES).fma(weight, sum3);
        sum4 = load(x, source + 4 * BYTES).fma(weight, sum4);
        sum5 = load(x, source + 5 * BYTES).fma(weight, sum5);
        sum6 = load(x, source + 6 * BYTES).fma(weight, sum6);
        sum7 = load(x, source + 7 * BYTES).fma(weight, sum7);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      store(sum0, scale, y, target, add);
      store(sum1, scale, y, target + BYTES, add);
      store(sum2, scale, y, target + 2 * BYTES, add);
      store(sum3, scale, y, target + 3 * BYTES, add);
      store(sum4, scale, y, target + 4 * BYTES, add);
      store(sum5, scale, y, target + 5 * BYTES, add);
      store(sum6, scale, y, target + 6 * BYTES, add);
      store(sum7, scale, y, target + 7 * BYTES, add);
      target += pitch;
    }
  }

  private static void rows4(
      int[] ints,
      float[] floats,
      int at,
      int count,
      MemorySegment x,
      long pitch,
      long column,
      MemorySegment y,
      long yOffset,
      boolean add) {
    int k = 0;
    long target = yOffset + column;
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      FloatVector sum2 = FloatVector.zero(SPECIES);
      FloatVector sum3 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = ints[k] * pitch + column;
        sum0 = load(x, source).fma(weight, sum0);
        sum1 = load(x, source + BYTES).fma(weight, sum1);
        sum2 = load(x, source + 2 * BYTES).fma(weight, sum2);
        sum3 = load(x, source + 3 * BYTES).fma(weight, sum3);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      store(sum0, scale, y, target, add);
      store(sum1, scale, y, target + BYTES, add);
      store(sum2, scale, y, target + 2 * BYTES, add);
      store(sum3, scale, y, target + 3 * BYTES, add);
      target += pitch;
    }
  }

  private static void rows2(
      int[] ints,
      float[] floats,
      int at,
      int count,
      MemorySegment x,
      long pitch,
      long column,
      MemorySegment y,
      long yOffset,
      boolean add) {
    int k = 0;
    long target = yOffset + column;
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = ints[k] * pitch + column;
        sum0 = load(x, source).fma(weight, sum0);
        sum1 = load(x, source + BYTES).fma(weight, sum1);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      store(sum0, scale, y, target, add);
      store(sum1, scale, y, target + BYTES, add);
      target += pitch;
    }
  }

  private static void rows1(
      int[] ints,
      float[] floats,
      int at,
      int count,
      MemorySegment x,
      long pitch,
      long column,
      MemorySegment y,
      long yOffset,
      boolean add) {
    int k = 0;
    long target = yOffset + column;
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = ints[k] * pitch + column;
        sum0 = load(x, source).fma(weight, sum0);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      store(sum0, scale, y, target, add);
      target += pitch;
    }
  }

  private static void rest(
      int[] ints,
      float[] floats,
      int at,
      int count,
      MemorySegment x,
      long pitch,
      long column,
      MemorySegment y,
      long yOffset,
      boolean add) {
    VectorMask<Float> mask = SPECIES.indexInRange(0, (int) (pitch - column) / Float.BYTES);
    int k = 0;
    long target = yOffset + column;
    for (int i = at; i < at + count; i++) {
      FloatVector sum = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = ints[k] * pitch + column;
        sum = FloatVector.fromMemorySegment(SPECIES, x, source, ORDER, mask).fma(weight, sum);
      }
      FloatVector scaled = sum.mul(floats[i]);
      if (add) {
        scaled =
            sum.fma(
                FloatVector.broadcast(SPECIES, floats[i]),
                FloatVector.fromMemorySegment(SPECIES, y, target, ORDER, mask));
      }
      scaled.intoMemorySegment(y, target, ORDER, mask);
      target += pitch;
    }
  }

  private static FloatVector load(MemorySegment segment, long offset) {
    return FloatVector.fromMemorySegment(SPECIES, segment, offset, ORDER);
  }

  private static void store(
      FloatVector sum, FloatVector scale, MemorySegment y, long offset, boolean add) {
    FloatVector scaled = add ? sum.fma(scale, load(y, offset)) : sum.mul(scale);
    scaled.intoMemorySegment(y, offset, ORDER);
  }
}
