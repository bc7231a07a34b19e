package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// A bit for each element, and the ranks of every [#STEP]th position.
final class BitmapIndex extends SurvivorIndex {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /// Positions from one known rank to the next.
  private static final int STEP = 512;

  private final int elements;
  private final int survivors;
  private final MemorySegment bits;
  private final RankTable ranks;

  BitmapIndex(Arena arena, int elements, BitSet kept) {
    this.elements = elements;
    survivors = kept.cardinality();
    bits = arena.allocate(bitBytes(elements), DenseMatrix.ALIGNMENT);
    ranks = new RankTable(arena, elements, STEP, kept);
    for (int p = kept.nextSetBit(0); p >= 0; p = kept.nextSetBit(p + 1)) {
      long at = (long) (p >>> 6) * Long.BYTES;
      bits.set(LONG, at, bits.get(LONG, at) | 1L << p);
    }
  }

  static long bytes(long elements) {
    return bitBytes(elements) + RankTable.bytes(elements, STEP);
  }

  /// One word more than needed, so that a vector's bits may straddle the last.
  private static long bitBytes(long elements) {
    return (elements / Long.SIZE + 2) * Long.BYTES;
  }

  @Override
  public int elements() {
    return elements;
  }

  @Override
  public int survivors() {
    return survivors;
  }

  @Override
  public long bytes() {
    return bits.byteSize() + ranks.bytes();
  }

  @Override
  public int rank(int position) {
    Objects.checkIndex(position, elements + 1L);
    int rank = ranks.floor(position);
    int word = position / STEP * (STEP / Long.SIZE);
    for (; word < position >>> 6; word++) {
      rank += Long.bitCount(bits.get(LONG, (long) word * Long.BYTES));
    }
    long below = (1L << position) - 1;
    return rank + Long.bitCount(bits.get(LONG, (long) word * Long.BYTES) & below);
  }

  @Override
  MemorySegment memory() {
    return bits;
  }

  @Override
  public BitSet kept() {
    return BitSet.valueOf(bits.toArray(ValueLayout.JAVA_LONG));
  }

  /// The bits of up to 57 positions, the first one's lowest.
  private static long bits(long bits, long position, int count) {
    long found = Memory.ALL.get(LONG, Memory.at(bits + (position >>> 3)));
    return found >>> (position & 7) & ((1L << count) - 1);
  }

  @Override
  void move(int begin, int end, long values, long to, int first, boolean add) {
    long map = bits.address();
    long from = values;
    long target = to;
    for (long p = begin; p < end; p += LANES) {
      int count = (int) Math.min(LANES, end - p);
      long kept = bits(map, p, count);
      if (kept != 0) {
        int found = Long.bitCount(kept);
        VectorMask<Float> mask = VectorMask.fromLong(SPECIES, kept);
        VectorMask<Float> head = VectorMask.fromLong(SPECIES, (1L << found) - 1);
        FloatVector v =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from), ORDER, mask)
                .compress(mask);
        long at = Memory.at(target);
        if (add) {
          v = v.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, head));
        }
        v.intoMemorySegment(Memory.ALL, at, ORDER, head);
        target += (long) found * Float.BYTES;
      }
      from += (long) LANES * Float.BYTES;
    }
  }

  @Override
  void spread(int begin, int end, long from, int first, long values) {
    long map = bits.address();
    long source = from;
    long to = values;
    for (long p = begin; p < end; p += LANES) {
      int count = (int) Math.min(LANES, end - p);
      long kept = bits(map, p, count);
      int found = Long.bitCount(kept);
      VectorMask<Float> mask = VectorMask.fromLong(SPECIES, kept);
      VectorMask<Float> head = VectorMask.fromLong(SPECIES, (1L << found) - 1);
      FloatVector v =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(source), ORDER, head)
              .expand(mask);
      if (count == LANES) {
        v.intoMemorySegment(Memory.ALL, Memory.at(to), ORDER);
      } else {
        v.intoMemorySegment(
            Memory.ALL, Memory.at(to), ORDER, VectorMask.fromLong(SPECIES, (1L << count) - 1));
      }
      source += (long) found * Float.BYTES;
      to += (long) LANES * Float.BYTES;
    }
  }
}
