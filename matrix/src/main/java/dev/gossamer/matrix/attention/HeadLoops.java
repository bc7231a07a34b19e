// Generated from src/templates/dev/gossamer/matrix/attention/HeadLoops.template; do not edit.
package dev.gossamer.matrix.attention;

import dev.gossamer.base.memory.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// The loops of [HeadSpmm], one for each width of a stripe in vectors.
final class HeadLoops {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private HeadLoops() {}

  /// [HeadSpmm#sum] for a stripe of 8 vectors, from vector `first` on.
  static void sum8(
      HeadSpmm row,
      int first,
      int[] ids,
      float[] weights,
      int count,
      long x,
      long pitch,
      long y,
      boolean add) {
    int head = row.firstHead[first];
    VectorShuffle<Float> lanes0 = row.heads[first];
    VectorShuffle<Float> lanes1 = row.heads[first + 1];
    VectorShuffle<Float> lanes2 = row.heads[first + 2];
    VectorShuffle<Float> lanes3 = row.heads[first + 3];
    VectorShuffle<Float> lanes4 = row.heads[first + 4];
    VectorShuffle<Float> lanes5 = row.heads[first + 5];
    VectorShuffle<Float> lanes6 = row.heads[first + 6];
    VectorShuffle<Float> lanes7 = row.heads[first + 7];
    long target = Memory.at(y);
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
    for (int k = 0, at = 0; k < count; k++, at += row.stride) {
      long source = Memory.at(x + ids[k] * pitch);
      FloatVector weight = FloatVector.fromArray(SPECIES, weights, at + head);
      sum0 =
          weight
              .rearrange(lanes0)
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
      sum1 =
          weight
              .rearrange(lanes1)
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER), sum1);
      sum2 =
          weight
              .rearrange(lanes2)
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER),
                  sum2);
      sum3 =
          weight
              .rearrange(lanes3)
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER),
                  sum3);
      sum4 =
          weight
              .rearrange(lanes4)
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 4 * BYTES, ORDER),
                  sum4);
      sum5 =
          weight
              .rearrange(lanes5)
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 5 * BYTES, ORDER),
                  sum5);
      sum6 =
          weight
              .rearrange(lanes6)
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 6 * BYTES, ORDER),
                  sum6);
      sum7 =
          weight
              .rearrange(lanes7)
              .fma(
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
  }

  /// [HeadSpmm#sum] for a stripe of 4 vectors, from vector `first` on.
  static void sum4(
      HeadSpmm row,
      int first,
      int[] ids,
      float[] weights,
      int count,
      long x,
      long pitch,
      long y,
      boolean add) {
    int head = row.firstHead[first];
    VectorShuffle<Float> lanes0 = row.heads[first];
    VectorShuffle<Float> lanes1 = row.heads[first + 1];
    VectorShuffle<Float> lanes2 = row.heads[first + 2];
    VectorShuffle<Float> lanes3 = row.heads[first + 3];
    long target = Memory.at(y);
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
    for (int k = 0, at = 0; k < count; k++, at += row.stride) {
      long source = Memory.at(x + ids[k] * pitch);
      FloatVector weight = FloatVector.fromArray(SPECIES, weights, at + head);
      sum0 =
          weight
              .rearrange(lanes0)
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
      sum1 =
          weight
              .rearrange(lanes1)
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER), sum1);
      sum2 =
          weight
              .rearrange(lanes2)
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER),
                  sum2);
      sum3 =
          weight
              .rearrange(lanes3)
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER),
                  sum3);
    }
    sum0.intoMemorySegment(Memory.ALL, target, ORDER);
    sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
    sum2.intoMemorySegment(Memory.ALL, target + 2 * BYTES, ORDER);
    sum3.intoMemorySegment(Memory.ALL, target + 3 * BYTES, ORDER);
  }

  /// [HeadSpmm#sum] for a stripe of 2 vectors, from vector `first` on.
  static void sum2(
      HeadSpmm row,
      int first,
      int[] ids,
      float[] weights,
      int count,
      long x,
      long pitch,
      long y,
      boolean add) {
    int head = row.firstHead[first];
    VectorShuffle<Float> lanes0 = row.heads[first];
    VectorShuffle<Float> lanes1 = row.heads[first + 1];
    long target = Memory.at(y);
    FloatVector sum0 = FloatVector.zero(SPECIES);
    FloatVector sum1 = FloatVector.zero(SPECIES);
    if (add) {
      sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER);
      sum1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + BYTES, ORDER);
    }
    for (int k = 0, at = 0; k < count; k++, at += row.stride) {
      long source = Memory.at(x + ids[k] * pitch);
      FloatVector weight = FloatVector.fromArray(SPECIES, weights, at + head);
      sum0 =
          weight
              .rearrange(lanes0)
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
      sum1 =
          weight
              .rearrange(lanes1)
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER), sum1);
    }
    sum0.intoMemorySegment(Memory.ALL, target, ORDER);
    sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
  }

  /// [HeadSpmm#sum] for a stripe of 1 vectors, from vector `first` on.
  static void sum1(
      HeadSpmm row,
      int first,
      int[] ids,
      float[] weights,
      int count,
      long x,
      long pitch,
      long y,
      boolean add) {
    int head = row.firstHead[first];
    VectorShuffle<Float> lanes0 = row.heads[first];
    long target = Memory.at(y);
    FloatVector sum0 = FloatVector.zero(SPECIES);
    if (add) {
      sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER);
    }
    for (int k = 0, at = 0; k < count; k++, at += row.stride) {
      long source = Memory.at(x + ids[k] * pitch);
      FloatVector weight = FloatVector.fromArray(SPECIES, weights, at + head);
      sum0 =
          weight
              .rearrange(lanes0)
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
    }
    sum0.intoMemorySegment(Memory.ALL, target, ORDER);
  }
}
