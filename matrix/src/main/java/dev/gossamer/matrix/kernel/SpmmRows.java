package dev.gossamer.matrix.kernel;

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
///
/// `X` and `Y` are addresses: a check of bounds per vector cost a fifth of the speed. [Spmm] has
/// checked every column id and both shapes, so that no address can leave its matrix.
final class SpmmRows {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// All memory, by address.
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /// What addresses are cut to: it changes none and tells the compiler that they are inside of
  /// [#MEMORY].
  private static final long ADDRESS = Long.MAX_VALUE >>> 8;

  private SpmmRows() {}

  /// Multiplies a block of rows.
  ///
  /// @param ints ids of the entries from 0; ends of the rows from `at`, relative to the first entry
  /// @param floats weights of the entries from 0; scales of the rows from `at`
  /// @param count rows
  /// @param x address of the first column to be read of the first row of `X`
  /// @param y address of the first column to be written of the first of the rows of `Y`
  /// @param pitch bytes from row to row
  /// @param width bytes to be written of a row
  /// @param add whether to add to `Y` or to overwrite it
  static void multiply(
      int[] ints,
      float[] floats,
      int at,
      int count,
      long x,
      long y,
      long pitch,
      long width,
      boolean add) {
    long column = 0;
    for (; column + 8 * BYTES <= width; column += 8 * BYTES) {
      rows8(ints, floats, at, count, x + column, y + column, pitch, add);
    }
    if (column + 4 * BYTES <= width) {
      rows4(ints, floats, at, count, x + column, y + column, pitch, add);
      column += 4 * BYTES;
    }
    if (column + 2 * BYTES <= width) {
      rows2(ints, floats, at, count, x + column, y + column, pitch, add);
      column += 2 * BYTES;
    }
    if (column + BYTES <= width) {
      rows1(ints, floats, at, count, x + column, y + column, pitch, add);
      column += BYTES;
    }
    if (column < width) {
      int lanes = (int) ((width - column) / Float.BYTES);
      rest(ints, floats, at, count, x + column, y + column, pitch, lanes, add);
    }
  }

  private static void rows8(
      int[] ints, float[] floats, int at, int count, long x, long y, long pitch, boolean add) {
    int k = 0;
    long target = y & ADDRESS;
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
        long source = (x + ints[k] * pitch) & ADDRESS;
        sum0 = weight.fma(load(source), sum0);
        sum1 = weight.fma(load(source + BYTES), sum1);
        sum2 = weight.fma(load(source + 2 * BYTES), sum2);
        sum3 = weight.fma(load(source + 3 * BYTES), sum3);
        sum4 = weight.fma(load(source + 4 * BYTES), sum4);
        sum5 = weight.fma(load(source + 5 * BYTES), sum5);
        sum6 = weight.fma(load(source + 6 * BYTES), sum6);
        sum7 = weight.fma(load(source + 7 * BYTES), sum7);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      store(sum0, scale, target, add);
      store(sum1, scale, target + BYTES, add);
      store(sum2, scale, target + 2 * BYTES, add);
      store(sum3, scale, target + 3 * BYTES, add);
      store(sum4, scale, target + 4 * BYTES, add);
      store(sum5, scale, target + 5 * BYTES, add);
      store(sum6, scale, target + 6 * BYTES, add);
      store(sum7, scale, target + 7 * BYTES, add);
      target = (target + pitch) & ADDRESS;
    }
  }

  private static void rows4(
      int[] ints, float[] floats, int at, int count, long x, long y, long pitch, boolean add) {
    int k = 0;
    long target = y & ADDRESS;
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      FloatVector sum2 = FloatVector.zero(SPECIES);
      FloatVector sum3 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = (x + ints[k] * pitch) & ADDRESS;
        sum0 = weight.fma(load(source), sum0);
        sum1 = weight.fma(load(source + BYTES), sum1);
        sum2 = weight.fma(load(source + 2 * BYTES), sum2);
        sum3 = weight.fma(load(source + 3 * BYTES), sum3);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      store(sum0, scale, target, add);
      store(sum1, scale, target + BYTES, add);
      store(sum2, scale, target + 2 * BYTES, add);
      store(sum3, scale, target + 3 * BYTES, add);
      target = (target + pitch) & ADDRESS;
    }
  }

  private static void rows2(
      int[] ints, float[] floats, int at, int count, long x, long y, long pitch, boolean add) {
    int k = 0;
    long target = y & ADDRESS;
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = (x + ints[k] * pitch) & ADDRESS;
        sum0 = weight.fma(load(source), sum0);
        sum1 = weight.fma(load(source + BYTES), sum1);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      store(sum0, scale, target, add);
      store(sum1, scale, target + BYTES, add);
      target = (target + pitch) & ADDRESS;
    }
  }

  private static void rows1(
      int[] ints, float[] floats, int at, int count, long x, long y, long pitch, boolean add) {
    int k = 0;
    long target = y & ADDRESS;
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = (x + ints[k] * pitch) & ADDRESS;
        sum0 = weight.fma(load(source), sum0);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      store(sum0, scale, target, add);
      target = (target + pitch) & ADDRESS;
    }
  }

  private static void rest(
      int[] ints,
      float[] floats,
      int at,
      int count,
      long x,
      long y,
      long pitch,
      int lanes,
      boolean add) {
    VectorMask<Float> mask = SPECIES.indexInRange(0, lanes);
    int k = 0;
    long target = y & ADDRESS;
    for (int i = at; i < at + count; i++) {
      FloatVector sum = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        long source = (x + ints[k] * pitch) & ADDRESS;
        sum = FloatVector.broadcast(SPECIES, floats[k]).fma(load(source, mask), sum);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      FloatVector scaled = add ? sum.fma(scale, load(target, mask)) : sum.mul(scale);
      scaled.intoMemorySegment(MEMORY, target, ORDER, mask);
      target = (target + pitch) & ADDRESS;
    }
  }

  private static FloatVector load(long address) {
    return FloatVector.fromMemorySegment(SPECIES, MEMORY, address, ORDER);
  }

  private static FloatVector load(long address, VectorMask<Float> mask) {
    return FloatVector.fromMemorySegment(SPECIES, MEMORY, address, ORDER, mask);
  }

  private static void store(FloatVector sum, FloatVector scale, long address, boolean add) {
    FloatVector scaled = add ? sum.fma(scale, load(address)) : sum.mul(scale);
    scaled.intoMemorySegment(MEMORY, address, ORDER);
  }
}
