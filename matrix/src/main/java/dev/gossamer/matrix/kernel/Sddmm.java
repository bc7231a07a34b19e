package dev.gossamer.matrix.kernel;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// The inner loops of a sampled dense-dense product with heads: `g[k][h] = <t[h], x[id[k]][h]>`,
/// the dot products of one row with the rows that a pattern's entries name, head by head.
///
/// Lanes are added in a fixed order, by halves, as [Lanes#sum] does; here without a call. Rows are
/// addresses, as in [SpmmRows].
final class Sddmm {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final VectorShuffle<Float> BY_8 = VectorShuffle.iota(SPECIES, 8 % LANES, 1, true);
  private static final VectorShuffle<Float> BY_4 = VectorShuffle.iota(SPECIES, 4 % LANES, 1, true);
  private static final VectorShuffle<Float> BY_2 = VectorShuffle.iota(SPECIES, 2 % LANES, 1, true);
  private static final VectorShuffle<Float> BY_1 = VectorShuffle.iota(SPECIES, 1 % LANES, 1, true);

  private Sddmm() {}

  /// One row of the result. The products are added up lane by lane for many entries, whose rows the
  /// processor then fetches at the same time, before lanes are.
  ///
  /// @param t address of the row, `heads x width`
  /// @param ids address of the entries' ids, `int32[count]`
  /// @param x address of row 0
  /// @param pitch bytes from row to row of `x`
  /// @param g address of the result, `count x heads`, overwritten
  /// @param partial scratch of at least a vector
  static void row(
      long t,
      long ids,
      long count,
      long x,
      long pitch,
      int heads,
      int width,
      long g,
      float[] partial) {
    long total = count * heads;
    int block = partial.length / LANES;
    for (long i = 0; i < total; i += block) {
      int part = (int) Math.min(block, total - i);
      int head = (int) (i % heads);
      long entry = i / heads;
      for (int at = 0; at < part; at++) {
        long id = Memory.ALL.get(INT, Memory.at(ids + entry * Integer.BYTES));
        long from = (long) head * width * Float.BYTES;
        lanes(t + from, x + id * pitch + from, width, partial, at * LANES);
        head++;
        if (head == heads) {
          head = 0;
          entry++;
        }
      }
      sums(partial, part, g + i * Float.BYTES);
    }
  }

  /// The dot products of two rows, head by head.
  ///
  /// @param left address of one, `heads x width`
  /// @param right address of the other
  /// @param to address of the result, `float32[heads]`, overwritten
  /// @param partial scratch of a vector for each head
  static void heads(long left, long right, int heads, int width, long to, float[] partial) {
    for (int h = 0; h < heads; h++) {
      long from = (long) h * width * Float.BYTES;
      lanes(left + from, right + from, width, partial, h * LANES);
    }
    sums(partial, heads, to);
  }

  /// The sum of the lanes of each vector.
  private static void sums(float[] vectors, int count, long to) {
    for (int i = 0; i < count; i++) {
      FloatVector sum = FloatVector.fromArray(SPECIES, vectors, i * LANES);
      if (LANES > 8) {
        sum = sum.add(sum.rearrange(BY_8));
      }
      if (LANES > 4) {
        sum = sum.add(sum.rearrange(BY_4));
      }
      if (LANES > 2) {
        sum = sum.add(sum.rearrange(BY_2));
      }
      sum = sum.add(sum.rearrange(BY_1));
      Memory.ALL.set(FLOAT, Memory.at(to + (long) i * Float.BYTES), sum.lane(0));
    }
  }

  /// The products of two pieces of rows, added up lane by lane.
  private static void lanes(long left, long right, int width, float[] to, int at) {
    FloatVector sum = FloatVector.zero(SPECIES);
    int j = 0;
    for (; j + LANES <= width; j += LANES) {
      long shift = (long) j * Float.BYTES;
      sum =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(left + shift), ORDER)
              .fma(
                  FloatVector.fromMemorySegment(
                      SPECIES, Memory.ALL, Memory.at(right + shift), ORDER),
                  sum);
    }
    if (j < width) {
      VectorMask<Float> rest = SPECIES.indexInRange(j, width);
      long shift = (long) j * Float.BYTES;
      sum =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(left + shift), ORDER, rest)
              .fma(
                  FloatVector.fromMemorySegment(
                      SPECIES, Memory.ALL, Memory.at(right + shift), ORDER, rest),
                  sum);
    }
    sum.intoArray(to, at);
  }
}
