// Generated from src/templates/dev/gossamer/matrix/sparse/SparseRowLoops.template; do not edit.
package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The loops of [SparseRows], one for each width of a stripe in vectors.
final class SparseRowLoops {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private SparseRowLoops() {}

  /// [SparseRows#multiply] for a stripe of 8 vectors.
  static void rows8(
      long starts, int count, long ids, long values, long x, long y, long pitch, boolean add) {
    long target = Memory.at(y);
    int e = Memory.ALL.get(INT, Memory.at(starts));
    for (int i = 1; i <= count; i++) {
      int end = Memory.ALL.get(INT, Memory.at(starts + (long) i * Integer.BYTES));
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      FloatVector sum2 = FloatVector.zero(SPECIES);
      FloatVector sum3 = FloatVector.zero(SPECIES);
      FloatVector sum4 = FloatVector.zero(SPECIES);
      FloatVector sum5 = FloatVector.zero(SPECIES);
      FloatVector sum6 = FloatVector.zero(SPECIES);
      FloatVector sum7 = FloatVector.zero(SPECIES);
      if (add) {
        sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER);
        sum1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + BYTES, ORDER);
        sum2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 2 * BYTES, ORDER);
        sum3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 3 * BYTES, ORDER);
        sum4 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 4 * BYTES, ORDER);
        sum5 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 5 * BYTES, ORDER);
        sum6 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 6 * BYTES, ORDER);
        sum7 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 7 * BYTES, ORDER);
      }
      for (; e < end; e++) {
        float value = Memory.ALL.get(FLOAT, Memory.at(values + (long) e * Float.BYTES));
        long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
        FloatVector weight = FloatVector.broadcast(SPECIES, value);
        long source = Memory.at(x + id * pitch);
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
      sum0.intoMemorySegment(Memory.ALL, target, ORDER);
      sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
      sum2.intoMemorySegment(Memory.ALL, target + 2 * BYTES, ORDER);
      sum3.intoMemorySegment(Memory.ALL, target + 3 * BYTES, ORDER);
      sum4.intoMemorySegment(Memory.ALL, target + 4 * BYTES, ORDER);
      sum5.intoMemorySegment(Memory.ALL, target + 5 * BYTES, ORDER);
      sum6.intoMemorySegment(Memory.ALL, target + 6 * BYTES, ORDER);
      sum7.intoMemorySegment(Memory.ALL, target + 7 * BYTES, ORDER);
      target = Memory.at(target + pitch);
    }
  }

  /// [SparseRows#multiply] for a stripe of 4 vectors.
  static void rows4(
      long starts, int count, long ids, long values, long x, long y, long pitch, boolean add) {
    long target = Memory.at(y);
    int e = Memory.ALL.get(INT, Memory.at(starts));
    for (int i = 1; i <= count; i++) {
      int end = Memory.ALL.get(INT, Memory.at(starts + (long) i * Integer.BYTES));
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      FloatVector sum2 = FloatVector.zero(SPECIES);
      FloatVector sum3 = FloatVector.zero(SPECIES);
      if (add) {
        sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER);
        sum1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + BYTES, ORDER);
        sum2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 2 * BYTES, ORDER);
        sum3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 3 * BYTES, ORDER);
      }
      for (; e < end; e++) {
        float value = Memory.ALL.get(FLOAT, Memory.at(values + (long) e * Float.BYTES));
        long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
        FloatVector weight = FloatVector.broadcast(SPECIES, value);
        long source = Memory.at(x + id * pitch);
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
      sum0.intoMemorySegment(Memory.ALL, target, ORDER);
      sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
      sum2.intoMemorySegment(Memory.ALL, target + 2 * BYTES, ORDER);
      sum3.intoMemorySegment(Memory.ALL, target + 3 * BYTES, ORDER);
      target = Memory.at(target + pitch);
    }
  }

  /// [SparseRows#multiply] for a stripe of 2 vectors.
  static void rows2(
      long starts, int count, long ids, long values, long x, long y, long pitch, boolean add) {
    long target = Memory.at(y);
    int e = Memory.ALL.get(INT, Memory.at(starts));
    for (int i = 1; i <= count; i++) {
      int end = Memory.ALL.get(INT, Memory.at(starts + (long) i * Integer.BYTES));
      FloatVector sum0 = FloatVector.zero(SPECIES);
      FloatVector sum1 = FloatVector.zero(SPECIES);
      if (add) {
        sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER);
        sum1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + BYTES, ORDER);
      }
      for (; e < end; e++) {
        float value = Memory.ALL.get(FLOAT, Memory.at(values + (long) e * Float.BYTES));
        long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
        FloatVector weight = FloatVector.broadcast(SPECIES, value);
        long source = Memory.at(x + id * pitch);
        sum0 = weight.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
        sum1 =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER), sum1);
      }
      sum0.intoMemorySegment(Memory.ALL, target, ORDER);
      sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
      target = Memory.at(target + pitch);
    }
  }

  /// [SparseRows#multiply] for a stripe of 1 vectors.
  static void rows1(
      long starts, int count, long ids, long values, long x, long y, long pitch, boolean add) {
    long target = Memory.at(y);
    int e = Memory.ALL.get(INT, Memory.at(starts));
    for (int i = 1; i <= count; i++) {
      int end = Memory.ALL.get(INT, Memory.at(starts + (long) i * Integer.BYTES));
      FloatVector sum0 = FloatVector.zero(SPECIES);
      if (add) {
        sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER);
      }
      for (; e < end; e++) {
        float value = Memory.ALL.get(FLOAT, Memory.at(values + (long) e * Float.BYTES));
        long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
        FloatVector weight = FloatVector.broadcast(SPECIES, value);
        long source = Memory.at(x + id * pitch);
        sum0 = weight.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
      }
      sum0.intoMemorySegment(Memory.ALL, target, ORDER);
      target = Memory.at(target + pitch);
    }
  }
}
