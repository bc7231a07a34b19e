// Generated from src/templates/dev/gossamer/matrix/sparse/SpmmLoops.template; do not edit.
package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The loops of [SpmmRows], one for each width of a stripe in vectors.
///
/// Eight accumulators with names are what stays in registers and hides the latency of the
/// multiply-add; unrolling over entries as well was slower.
final class SpmmLoops {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private SpmmLoops() {}

  /// [SpmmRows#multiply] for a stripe of 8 vectors.
  static void rows8(
      int[] ints,
      float[] floats,
      int at,
      int count,
      long x,
      long y,
      long xPitch,
      long yPitch,
      boolean add) {
    int k = 0;
    long target = Memory.at(y);
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
        long source = Memory.at(x + ints[k] * xPitch);
        sum0 = weight.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
        sum1 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER), sum1);
        sum2 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER),
                sum2);
        sum3 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER),
                sum3);
        sum4 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 4 * BYTES, ORDER),
                sum4);
        sum5 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 5 * BYTES, ORDER),
                sum5);
        sum6 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 6 * BYTES, ORDER),
                sum6);
        sum7 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 7 * BYTES, ORDER),
                sum7);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      if (add) {
        sum0 = sum0.fma(scale, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER));
        sum1 =
            sum1.fma(
                scale, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + BYTES, ORDER));
        sum2 =
            sum2.fma(
                scale,
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 2 * BYTES, ORDER));
        sum3 =
            sum3.fma(
                scale,
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 3 * BYTES, ORDER));
        sum4 =
            sum4.fma(
                scale,
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 4 * BYTES, ORDER));
        sum5 =
            sum5.fma(
                scale,
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 5 * BYTES, ORDER));
        sum6 =
            sum6.fma(
                scale,
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 6 * BYTES, ORDER));
        sum7 =
            sum7.fma(
                scale,
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 7 * BYTES, ORDER));
      } else {
        sum0 = sum0.mul(scale);
        sum1 = sum1.mul(scale);
        sum2 = sum2.mul(scale);
        sum3 = sum3.mul(scale);
        sum4 = sum4.mul(scale);
        sum5 = sum5.mul(scale);
        sum6 = sum6.mul(scale);
        sum7 = sum7.mul(scale);
      }
      sum0.intoMemorySegment(Memory.ALL, target, ORDER);
      sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
      sum2.intoMemorySegment(Memory.ALL, target + 2 * BYTES, ORDER);
      sum3.intoMemorySegment(Memory.ALL, target + 3 * BYTES, ORDER);
      sum4.intoMemorySegment(Memory.ALL, target + 4 * BYTES, ORDER);
      sum5.intoMemorySegment(Memory.ALL, target + 5 * BYTES, ORDER);
      sum6.intoMemorySegment(Memory.ALL, target + 6 * BYTES, ORDER);
      sum7.intoMemorySegment(Memory.ALL, target + 7 * BYTES, ORDER);
      target = Memory.at(target + yPitch);
    }
  }

  /// [SpmmRows#multiply] for a stripe of 4 vectors.
  static void rows4(
      int[] ints,
      float[] floats,
      int at,
      int count,
      long x,
      long y,
      long xPitch,
      long yPitch,
      boolean add) {
    int k = 0;
    long target = Memory.at(y);
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      FloatVector sum2 = FloatVector.zero(SPECIES);
      FloatVector sum3 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = Memory.at(x + ints[k] * xPitch);
        sum0 = weight.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
        sum1 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER), sum1);
        sum2 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER),
                sum2);
        sum3 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER),
                sum3);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      if (add) {
        sum0 = sum0.fma(scale, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER));
        sum1 =
            sum1.fma(
                scale, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + BYTES, ORDER));
        sum2 =
            sum2.fma(
                scale,
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 2 * BYTES, ORDER));
        sum3 =
            sum3.fma(
                scale,
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 3 * BYTES, ORDER));
      } else {
        sum0 = sum0.mul(scale);
        sum1 = sum1.mul(scale);
        sum2 = sum2.mul(scale);
        sum3 = sum3.mul(scale);
      }
      sum0.intoMemorySegment(Memory.ALL, target, ORDER);
      sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
      sum2.intoMemorySegment(Memory.ALL, target + 2 * BYTES, ORDER);
      sum3.intoMemorySegment(Memory.ALL, target + 3 * BYTES, ORDER);
      target = Memory.at(target + yPitch);
    }
  }

  /// [SpmmRows#multiply] for a stripe of 2 vectors.
  static void rows2(
      int[] ints,
      float[] floats,
      int at,
      int count,
      long x,
      long y,
      long xPitch,
      long yPitch,
      boolean add) {
    int k = 0;
    long target = Memory.at(y);
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = Memory.at(x + ints[k] * xPitch);
        sum0 = weight.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
        sum1 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER), sum1);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      if (add) {
        sum0 = sum0.fma(scale, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER));
        sum1 =
            sum1.fma(
                scale, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + BYTES, ORDER));
      } else {
        sum0 = sum0.mul(scale);
        sum1 = sum1.mul(scale);
      }
      sum0.intoMemorySegment(Memory.ALL, target, ORDER);
      sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
      target = Memory.at(target + yPitch);
    }
  }

  /// [SpmmRows#multiply] for a stripe of 1 vectors.
  static void rows1(
      int[] ints,
      float[] floats,
      int at,
      int count,
      long x,
      long y,
      long xPitch,
      long yPitch,
      boolean add) {
    int k = 0;
    long target = Memory.at(y);
    for (int i = at; i < at + count; i++) {
      FloatVector sum0 = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = Memory.at(x + ints[k] * xPitch);
        sum0 = weight.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      if (add) {
        sum0 = sum0.fma(scale, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER));
      } else {
        sum0 = sum0.mul(scale);
      }
      sum0.intoMemorySegment(Memory.ALL, target, ORDER);
      target = Memory.at(target + yPitch);
    }
  }
}
