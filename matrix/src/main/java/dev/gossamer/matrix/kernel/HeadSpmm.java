package dev.gossamer.matrix.kernel;

import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// The inner loops of a sparse product whose entries have a weight for each head: `y[h] = sum over
/// k of w[k][h] x[id[k]][h]`, where `x[i][h]` is head `h`'s part of a row. A weight is broadcast
/// over its head's columns (MB, section 3.3, "Broadcast Support for AGG").
///
/// A row is cut into vectors that lie in one head each, four of which are summed at a time in
/// registers; if a head is no multiple of a vector, its last one is masked. As in [SpmmRows], rows
/// are addresses and no method takes or returns a vector.
final class HeadSpmm {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Vectors that are summed at a time.
  private static final int STRIPE = 4;

  private final int heads;
  private final boolean masked;
  private final int[] headOf;
  private final int[] columns;
  private final int[] lanes;

  /// @param heads `K`
  /// @param width of a head
  HeadSpmm(int heads, int width) {
    this.heads = heads;
    int vectors = Math.ceilDiv(width, LANES);
    int count = Math.ceilDiv(heads * vectors, STRIPE) * STRIPE;
    masked = width % LANES != 0 || count != heads * vectors;
    headOf = new int[count];
    columns = new int[count];
    lanes = new int[count];
    for (int i = 0; i < heads * vectors; i++) {
      headOf[i] = i / vectors;
      int from = i % vectors * LANES;
      columns[i] = headOf[i] * width + from;
      lanes[i] = Math.min(LANES, width - from);
    }
  }

  int heads() {
    return heads;
  }

  /// Sums one row of the result, or a part of its entries.
  ///
  /// @param ids of the entries
  /// @param weights `count x heads`
  /// @param x address of row 0
  /// @param pitch bytes from row to row of `x`
  /// @param y address of the row
  /// @param add whether to add to it or to overwrite it
  void row(int[] ids, float[] weights, int count, long x, long pitch, long y, boolean add) {
    for (int i = 0; i < columns.length; i += STRIPE) {
      if (masked) {
        parts(i, ids, weights, count, x, pitch, y, add);
      } else {
        long column = (long) columns[i] * Float.BYTES;
        wholes(i, ids, weights, count, x + column, pitch, y + column, add);
      }
    }
  }

  private void wholes(
      int i, int[] ids, float[] weights, int count, long x, long pitch, long y, boolean add) {
    int h0 = headOf[i];
    int h1 = headOf[i + 1];
    int h2 = headOf[i + 2];
    int h3 = headOf[i + 3];
    long target = Memory.at(y);
    FloatVector sum0 = FloatVector.zero(SPECIES);
    FloatVector sum1 = sum0;
    FloatVector sum2 = sum0;
    FloatVector sum3 = sum0;
    if (add) {
      sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER);
      sum1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + BYTES, ORDER);
      sum2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 2 * BYTES, ORDER);
      sum3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + 3 * BYTES, ORDER);
    }
    for (int k = 0; k < count; k++) {
      long source = Memory.at(x + ids[k] * pitch);
      int w = k * heads;
      sum0 =
          FloatVector.broadcast(SPECIES, weights[w + h0])
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER), sum0);
      sum1 =
          FloatVector.broadcast(SPECIES, weights[w + h1])
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER), sum1);
      sum2 =
          FloatVector.broadcast(SPECIES, weights[w + h2])
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER),
                  sum2);
      sum3 =
          FloatVector.broadcast(SPECIES, weights[w + h3])
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER),
                  sum3);
    }
    sum0.intoMemorySegment(Memory.ALL, target, ORDER);
    sum1.intoMemorySegment(Memory.ALL, target + BYTES, ORDER);
    sum2.intoMemorySegment(Memory.ALL, target + 2 * BYTES, ORDER);
    sum3.intoMemorySegment(Memory.ALL, target + 3 * BYTES, ORDER);
  }

  private void parts(
      int i, int[] ids, float[] weights, int count, long x, long pitch, long y, boolean add) {
    int h0 = headOf[i];
    int h1 = headOf[i + 1];
    int h2 = headOf[i + 2];
    int h3 = headOf[i + 3];
    long c0 = (long) columns[i] * Float.BYTES;
    long c1 = (long) columns[i + 1] * Float.BYTES;
    long c2 = (long) columns[i + 2] * Float.BYTES;
    long c3 = (long) columns[i + 3] * Float.BYTES;
    VectorMask<Float> m0 = SPECIES.indexInRange(0, lanes[i]);
    VectorMask<Float> m1 = SPECIES.indexInRange(0, lanes[i + 1]);
    VectorMask<Float> m2 = SPECIES.indexInRange(0, lanes[i + 2]);
    VectorMask<Float> m3 = SPECIES.indexInRange(0, lanes[i + 3]);
    long target = Memory.at(y);
    FloatVector sum0 = FloatVector.zero(SPECIES);
    FloatVector sum1 = sum0;
    FloatVector sum2 = sum0;
    FloatVector sum3 = sum0;
    if (add) {
      sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + c0, ORDER, m0);
      sum1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + c1, ORDER, m1);
      sum2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + c2, ORDER, m2);
      sum3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target + c3, ORDER, m3);
    }
    for (int k = 0; k < count; k++) {
      long source = Memory.at(x + ids[k] * pitch);
      int w = k * heads;
      sum0 =
          FloatVector.broadcast(SPECIES, weights[w + h0])
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + c0, ORDER, m0), sum0);
      sum1 =
          FloatVector.broadcast(SPECIES, weights[w + h1])
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + c1, ORDER, m1), sum1);
      sum2 =
          FloatVector.broadcast(SPECIES, weights[w + h2])
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + c2, ORDER, m2), sum2);
      sum3 =
          FloatVector.broadcast(SPECIES, weights[w + h3])
              .fma(
                  FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + c3, ORDER, m3), sum3);
    }
    sum0.intoMemorySegment(Memory.ALL, target + c0, ORDER, m0);
    sum1.intoMemorySegment(Memory.ALL, target + c1, ORDER, m1);
    sum2.intoMemorySegment(Memory.ALL, target + c2, ORDER, m2);
    sum3.intoMemorySegment(Memory.ALL, target + c3, ORDER, m3);
  }
}
