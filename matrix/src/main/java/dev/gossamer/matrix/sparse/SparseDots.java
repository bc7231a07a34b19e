package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// The inner loops of a weight gradient at the nonzeros: products of one row with many, added up
/// lane by lane. [Sddmm#sums] then adds up the lanes of many at once.
///
/// The one row stays in registers, so that each multiply-add reads one vector.
final class SparseDots {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private SparseDots() {}

  /// @param row address of the one row
  /// @param ids address of the numbers of the other rows, `uint8[count]`
  /// @param panel address of the other row 0
  /// @param pitch bytes from row to row
  /// @param bytes of a row, whole vectors
  /// @param to overwritten, a vector for each of the others, from the vector `at` on
  static void dots(
      long row, long ids, int count, long panel, long pitch, long bytes, float[] to, int at) {
    long done = 0;
    for (; bytes - done >= 8 * BYTES; done += 8 * BYTES) {
      eight(row + done, ids, count, panel + done, pitch, to, at, done > 0);
    }
    for (; bytes - done >= 4 * BYTES; done += 4 * BYTES) {
      four(row + done, ids, count, panel + done, pitch, to, at, done > 0);
    }
    for (; done < bytes; done += BYTES) {
      one(row + done, ids, count, panel + done, pitch, to, at, done > 0);
    }
  }

  /// Adds sums to memory, or overwrites it.
  ///
  /// @param sums from 0 on
  /// @param to address
  static void add(float[] sums, int count, long to, boolean overwrite) {
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
      long at = Memory.at(to + (long) i * Float.BYTES);
      FloatVector sum = FloatVector.fromArray(SPECIES, sums, i);
      if (!overwrite) {
        sum = sum.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER));
      }
      sum.intoMemorySegment(Memory.ALL, at, ORDER);
    }
    if (i < count) {
      VectorMask<Float> rest = SPECIES.indexInRange(i, count);
      long at = Memory.at(to + (long) i * Float.BYTES);
      FloatVector sum = FloatVector.fromArray(SPECIES, sums, i, rest);
      if (!overwrite) {
        sum = sum.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, rest));
      }
      sum.intoMemorySegment(Memory.ALL, at, ORDER, rest);
    }
  }

  private static void eight(
      long row, long ids, int count, long panel, long pitch, float[] to, int at, boolean add) {
    long left = Memory.at(row);
    FloatVector x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left, ORDER);
    FloatVector x1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + BYTES, ORDER);
    FloatVector x2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 2 * BYTES, ORDER);
    FloatVector x3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 3 * BYTES, ORDER);
    FloatVector x4 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 4 * BYTES, ORDER);
    FloatVector x5 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 5 * BYTES, ORDER);
    FloatVector x6 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 6 * BYTES, ORDER);
    FloatVector x7 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 7 * BYTES, ORDER);
    for (int e = 0, i = at * LANES; e < count; e++, i += LANES) {
      long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
      long source = Memory.at(panel + id * pitch);
      FloatVector a = x0.mul(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER));
      FloatVector b =
          x1.mul(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER));
      a = x2.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER), a);
      b = x3.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER), b);
      a = x4.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 4 * BYTES, ORDER), a);
      b = x5.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 5 * BYTES, ORDER), b);
      a = x6.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 6 * BYTES, ORDER), a);
      b = x7.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 7 * BYTES, ORDER), b);
      if (add) {
        a = a.add(FloatVector.fromArray(SPECIES, to, i));
      }
      a.add(b).intoArray(to, i);
    }
  }

  private static void four(
      long row, long ids, int count, long panel, long pitch, float[] to, int at, boolean add) {
    long left = Memory.at(row);
    FloatVector x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left, ORDER);
    FloatVector x1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + BYTES, ORDER);
    FloatVector x2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 2 * BYTES, ORDER);
    FloatVector x3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 3 * BYTES, ORDER);
    for (int e = 0, i = at * LANES; e < count; e++, i += LANES) {
      long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
      long source = Memory.at(panel + id * pitch);
      FloatVector a = x0.mul(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER));
      FloatVector b =
          x1.mul(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER));
      a = x2.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER), a);
      b = x3.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER), b);
      if (add) {
        a = a.add(FloatVector.fromArray(SPECIES, to, i));
      }
      a.add(b).intoArray(to, i);
    }
  }

  private static void one(
      long row, long ids, int count, long panel, long pitch, float[] to, int at, boolean add) {
    FloatVector x = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(row), ORDER);
    for (int e = 0, i = at * LANES; e < count; e++, i += LANES) {
      long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
      long source = Memory.at(panel + id * pitch);
      FloatVector y = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER);
      if (add) {
        x.fma(y, FloatVector.fromArray(SPECIES, to, i)).intoArray(to, i);
      } else {
        x.mul(y).intoArray(to, i);
      }
    }
  }
}
