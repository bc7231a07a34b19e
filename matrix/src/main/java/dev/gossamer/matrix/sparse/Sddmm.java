package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.tile.Lanes;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// The inner loops of a sampled dense-dense product with heads: `g[k][h] = <t[h], x[id[k]][h]>`,
/// the dot products of one row with the rows of a pattern's entries, for each head.
///
/// Lanes are added in a fixed order, by halves, as in [Lanes#sum]. Rows are addresses, as in
/// [SpmmRows].
public final class Sddmm {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final VectorShuffle<Float> BY_8 = VectorShuffle.iota(SPECIES, 8 % LANES, 1, true);
  private static final VectorShuffle<Float> BY_4 = VectorShuffle.iota(SPECIES, 4 % LANES, 1, true);
  private static final VectorShuffle<Float> BY_2 = VectorShuffle.iota(SPECIES, 2 % LANES, 1, true);
  private static final VectorShuffle<Float> BY_1 = VectorShuffle.iota(SPECIES, 1 % LANES, 1, true);

  private static final VectorShuffle<Float> SWAP_8 = Lanes.swap(8);
  private static final VectorShuffle<Float> SWAP_4 = Lanes.swap(4);
  private static final VectorShuffle<Float> SWAP_2 = Lanes.swap(2);
  private static final VectorShuffle<Float> SWAP_1 = Lanes.swap(1);
  private static final VectorMask<Float> UPPER_8 = Lanes.upper(8);
  private static final VectorMask<Float> UPPER_4 = Lanes.upper(4);
  private static final VectorMask<Float> UPPER_2 = Lanes.upper(2);
  private static final VectorMask<Float> UPPER_1 = Lanes.upper(1);

  private Sddmm() {}

  /// Computes one row of the result. Products of many entries are summed lane by lane before lanes
  /// are added, so that the processor fetches their rows at the same time.
  ///
  /// @param t address of the row, `heads x width`
  /// @param ids of the entries
  /// @param count number of entries
  /// @param x address of row 0
  /// @param pitch bytes from row to row of `x`
  /// @param heads number of heads
  /// @param width columns of a head
  /// @param stride distance from one entry's results to the next, see `EdgeNumbers` of attention
  /// @param g overwritten; a vector longer than the results
  /// @param partial scratch of [dev.gossamer.base.Workers#SCRATCH_ELEMENTS] elements
  public static void row(
      long t,
      int[] ids,
      int count,
      long x,
      long pitch,
      int heads,
      int width,
      int stride,
      float[] g,
      float[] partial) {
    int room = partial.length / LANES;
    int some = Math.min(stride, room);
    int entries = room / some;
    for (int k = 0; k < count; k += entries) {
      int part = Math.min(entries, count - k);
      for (int h = 0; h < stride; h += some) {
        int end = Math.min(heads, h + some);
        int head = h;
        for (; width == LANES && head + 4 <= end; head += 4) {
          long from = head * BYTES;
          four(t + from, ids, k, part, x + from, pitch, partial, head - h, some);
        }
        for (; head < end; head++) {
          long from = (long) head * width * Float.BYTES;
          one(t + from, ids, k, part, x + from, pitch, width, partial, head - h, some);
        }
        sums(partial, part * some, g, k * stride + h);
      }
    }
  }

  /// The products of one head's columns for consecutive entries, added up lane by lane.
  ///
  /// @param at first vector of `to` that is written
  /// @param step vectors from entry to entry
  private static void one(
      long t,
      int[] ids,
      int first,
      int count,
      long x,
      long pitch,
      int width,
      float[] to,
      int at,
      int step) {
    if (width < LANES) {
      narrow(t, ids, first, count, x, pitch, width, to, at, step);
      return;
    }
    for (int k = 0, i = at; k < count; k++, i += step) {
      lanes(t, x + ids[first + k] * pitch, width, to, i * LANES);
    }
  }

  /// The same for a head that is narrower than a vector.
  private static void narrow(
      long t,
      int[] ids,
      int first,
      int count,
      long x,
      long pitch,
      int width,
      float[] to,
      int at,
      int step) {
    VectorMask<Float> inside = SPECIES.indexInRange(0, width);
    FloatVector left =
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(t), ORDER, inside);
    for (int k = 0, i = at; k < count; k++, i += step) {
      long source = Memory.at(x + ids[first + k] * pitch);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER, inside)
          .mul(left)
          .intoArray(to, i * LANES);
    }
  }

  /// The same for four heads of a vector each, so that a row is read as it lies.
  private static void four(
      long t, int[] ids, int first, int count, long x, long pitch, float[] to, int at, int step) {
    long left = Memory.at(t);
    FloatVector left0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left, ORDER);
    FloatVector left1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + BYTES, ORDER);
    FloatVector left2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 2 * BYTES, ORDER);
    FloatVector left3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, left + 3 * BYTES, ORDER);
    for (int k = 0, i = at * LANES; k < count; k++, i += step * LANES) {
      long source = Memory.at(x + ids[first + k] * pitch);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER).mul(left0).intoArray(to, i);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + BYTES, ORDER)
          .mul(left1)
          .intoArray(to, i + LANES);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 2 * BYTES, ORDER)
          .mul(left2)
          .intoArray(to, i + 2 * LANES);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source + 3 * BYTES, ORDER)
          .mul(left3)
          .intoArray(to, i + 3 * LANES);
    }
  }

  /// The sum of the lanes of each vector, as many at a time as there are lanes: two vectors are
  /// added by halves into one, again and again.
  ///
  /// @param vectors overwritten
  /// @param to receives the sums from `at` on, and anything up to a vector behind
  static void sums(float[] vectors, int count, float[] to, int at) {
    int left = Math.ceilDiv(count, LANES) * LANES;
    if (LANES > 8) {
      left /= 2;
      fold(vectors, left, 8, UPPER_8, SWAP_8, vectors, 0);
    }
    if (LANES > 4) {
      left /= 2;
      fold(vectors, left, 4, UPPER_4, SWAP_4, vectors, 0);
    }
    if (LANES > 2) {
      left /= 2;
      fold(vectors, left, 2, UPPER_2, SWAP_2, vectors, 0);
    }
    fold(vectors, left / 2, 1, UPPER_1, SWAP_1, to, at);
  }

  /// Adds the halves of vectors that are `distance` apart: the first one's sums come into the lower
  /// halves of each `2 distance` lanes, the other one's into the upper halves.
  private static void fold(
      float[] vectors,
      int count,
      int distance,
      VectorMask<Float> upper,
      VectorShuffle<Float> swap,
      float[] to,
      int at) {
    for (int i = 0; i < count; i++) {
      int from = (i + (i & -distance)) * LANES;
      FloatVector first = FloatVector.fromArray(SPECIES, vectors, from);
      FloatVector second = FloatVector.fromArray(SPECIES, vectors, from + distance * LANES);
      first
          .blend(second, upper)
          .add(second.blend(first, upper).rearrange(swap))
          .intoArray(to, at + i * LANES);
    }
  }

  /// Computes the dot products of two rows, for each head.
  ///
  /// @param left address of the first row, `heads x width`
  /// @param right address of the second row
  /// @param heads number of heads
  /// @param width columns of a head
  /// @param to address of the result, `float32[heads]`, overwritten
  /// @param partial scratch of a vector for each head
  public static void heads(long left, long right, int heads, int width, long to, float[] partial) {
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
