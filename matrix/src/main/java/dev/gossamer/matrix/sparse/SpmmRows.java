package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// The inner loops of [Spmm]: sums of weighted rows of `X`, a stripe of columns at a time.
///
/// A stripe is what eight accumulators hold, 512 bytes with AVX-512; what is left of a row is done
/// by four, two and one ([SpmmLoops]), the last one masked.
///
/// No method here takes or returns a vector: one that the compiler does not inline would make an
/// object of it, and it does not inline what is rarely called beside an inner loop.
///
/// `X` and `Y` are addresses: a check of bounds per vector cost a fifth of the speed. [Spmm] has
/// checked every column id and both shapes, so that no address can leave its matrix.
final class SpmmRows {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Vectors of the stripes, but of the last, which is what is left.
  private static final int[] VECTORS = {8, 4, 2, 1};

  /// The loops, widest first, behind an interface: when the compiler may inline several of them
  /// into one caller it runs into its limits, and vectors end up as objects.
  private static final Stripe[] STRIPES = {
    (ints, floats, at, count, x, y, xPitch, yPitch, lanes, add) ->
        SpmmLoops.rows8(ints, floats, at, count, x, y, xPitch, yPitch, add),
    (ints, floats, at, count, x, y, xPitch, yPitch, lanes, add) ->
        SpmmLoops.rows4(ints, floats, at, count, x, y, xPitch, yPitch, add),
    (ints, floats, at, count, x, y, xPitch, yPitch, lanes, add) ->
        SpmmLoops.rows2(ints, floats, at, count, x, y, xPitch, yPitch, add),
    (ints, floats, at, count, x, y, xPitch, yPitch, lanes, add) ->
        SpmmLoops.rows1(ints, floats, at, count, x, y, xPitch, yPitch, add),
    SpmmRows::rest
  };

  @FunctionalInterface
  private interface Stripe {
    void sum(
        int[] ints,
        float[] floats,
        int at,
        int count,
        long x,
        long y,
        long xPitch,
        long yPitch,
        int lanes,
        boolean add);
  }

  private SpmmRows() {}

  /// Multiplies a block of rows.
  ///
  /// @param ints ids of the entries from 0; ends of the rows from `at`, relative to the first entry
  /// @param floats weights of the entries from 0; scales of the rows from `at`
  /// @param count rows
  /// @param x address of the first column to be read of the first row of `X`
  /// @param y address of the first column to be written of the first of the rows of `Y`
  /// @param xPitch bytes from row to row of `X`
  /// @param yPitch bytes from row to row of `Y`
  /// @param width bytes to be written of a row
  /// @param add whether to add to `Y` or to overwrite it
  static void multiply(
      int[] ints,
      float[] floats,
      int at,
      int count,
      long x,
      long y,
      long xPitch,
      long yPitch,
      long width,
      boolean add) {
    long column = 0;
    for (int kind = 0; column < width; kind++) {
      long bytes = kind < VECTORS.length ? VECTORS[kind] * BYTES : width - column;
      for (; column + bytes <= width && column < width; column += bytes) {
        int lanes = (int) (bytes / Float.BYTES);
        STRIPES[kind].sum(
            ints, floats, at, count, x + column, y + column, xPitch, yPitch, lanes, add);
      }
    }
  }

  private static void rest(
      int[] ints,
      float[] floats,
      int at,
      int count,
      long x,
      long y,
      long xPitch,
      long yPitch,
      int lanes,
      boolean add) {
    VectorMask<Float> mask = SPECIES.indexInRange(0, lanes);
    int k = 0;
    long target = Memory.at(y);
    for (int i = at; i < at + count; i++) {
      FloatVector sum = FloatVector.zero(SPECIES);
      int end = ints[i];
      for (; k < end; k++) {
        FloatVector weight = FloatVector.broadcast(SPECIES, floats[k]);
        long source = Memory.at(x + ints[k] * xPitch);
        sum =
            weight.fma(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER, mask), sum);
      }
      FloatVector scale = FloatVector.broadcast(SPECIES, floats[i]);
      if (add) {
        sum =
            sum.fma(scale, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER, mask));
      } else {
        sum = sum.mul(scale);
      }
      sum.intoMemorySegment(Memory.ALL, target, ORDER, mask);
      target = Memory.at(target + yPitch);
    }
  }
}
