package dev.gossamer.matrix.sparse;

import dev.gossamer.matrix.memory.Memory;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
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
  private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;

  private SparseDots() {}

  /// @param row address of the one row
  /// @param vectors of a row that count
  /// @param ids address of the numbers of the other rows, `uint16[count]`
  /// @param panel address of the other row 0
  /// @param pitch bytes from one of the other rows to the next
  /// @param to overwritten, a vector for each of the others, from the vector `at` on
  static void dots(
      long row, int vectors, long ids, int count, long panel, long pitch, float[] to, int at) {
    int v = 0;
    if (vectors >= 8) {
      eight(row, ids, count, panel, pitch, to, at);
      v = 8;
    } else if (vectors >= 4) {
      four(row, ids, count, panel, pitch, to, at);
      v = 4;
    }
    for (; v < vectors; v++) {
      one(row + v * BYTES, ids, count, panel + v * BYTES, pitch, to, at, v > 0);
    }
  }

  private static void eight(
      long row, long ids, int count, long panel, long pitch, float[] to, int at) {
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
      long id = Memory.ALL.get(CHAR, Memory.at(ids + (long) e * Character.BYTES));
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
      a.add(b).intoArray(to, i);
    }
  }

  private static void four(
      long row, long ids, int count, long panel, long pitch, float[] to, int at) {
    long left = Memory.at(row);
    FloatVector x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left, ORDER);
    FloatVector x1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + BYTES, ORDER);
    FloatVector x2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 2 * BYTES, ORDER);
    FloatVector x3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 3 * BYTES, ORDER);
    for (int e = 0, i = at * LANES; e < count; e++, i += LANES) {
      long id = Memory.ALL.get(CHAR, Memory.at(ids + (long) e * Character.BYTES));
      long source = Memory.at(panel + id * pitch);
      FloatVector a = x0.mul(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER));
      FloatVector b =
          x1.mul(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER));
      a = x2.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER), a);
      b = x3.fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER), b);
      a.add(b).intoArray(to, i);
    }
  }

  private static void one(
      long row, long ids, int count, long panel, long pitch, float[] to, int at, boolean add) {
    FloatVector x = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(row), ORDER);
    for (int e = 0, i = at * LANES; e < count; e++, i += LANES) {
      long id = Memory.ALL.get(CHAR, Memory.at(ids + (long) e * Character.BYTES));
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
