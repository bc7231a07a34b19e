package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.OuterBlocks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.Objects;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The positions of the survivors, ascending, and the ranks of every [#STEP]th position: a rank is
/// then found among few positions, or known where a block of a gradient begins a row.
final class PositionIndex extends SurvivorIndex {
  private static final VectorSpecies<Integer> SPECIES = IntVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Positions from one known rank to the next: a block of [OuterBlocks] is as wide.
  private static final int STEP = OuterBlocks.BLOCK_COLS;

  /// Positions behind the last, for a vector that begins in the midst of the survivors: larger than
  /// any, as all are that stand behind the one that is looked for.
  private static final long BEHIND = 16;

  private final int elements;
  private final int survivors;
  private final MemorySegment positions;
  private final RankTable ranks;

  PositionIndex(Arena arena, int elements, BitSet kept) {
    this.elements = elements;
    survivors = kept.cardinality();
    positions = arena.allocate((survivors + BEHIND) * Integer.BYTES, DenseMatrix.ALIGNMENT);
    ranks = new RankTable(arena, elements, STEP, kept);
    int next = kept.nextSetBit(0);
    for (long i = 0; i < survivors; i++) {
      positions.set(INT, i * Integer.BYTES, next);
      next = kept.nextSetBit(next + 1);
    }
    for (long i = survivors; i < survivors + BEHIND; i++) {
      positions.set(INT, i * Integer.BYTES, Integer.MAX_VALUE);
    }
  }

  static long bytes(long elements, long survivors) {
    return (survivors + BEHIND) * Integer.BYTES + RankTable.bytes(elements, STEP);
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
    return positions.byteSize() + ranks.bytes();
  }

  @Override
  public int rank(int position) {
    Objects.checkIndex(position, elements + 1L);
    int floor = ranks.floor(position);
    return position % STEP == 0 ? floor : counted(floor, ranks.above(position), position);
  }

  /// The first survivor from `low` on that is not before a position, known to be below `high` or
  /// there: by counting all that are before it, which needs no branch that is hard to foretell.
  private int counted(int low, int high, int position) {
    int rank = low;
    for (int i = low; i < high; i += LANES) {
      rank +=
          IntVector.fromMemorySegment(SPECIES, positions, (long) i * Integer.BYTES, ORDER)
              .compare(VectorOperators.LT, position)
              .trueCount();
    }
    return rank;
  }

  @Override
  MemorySegment memory() {
    return positions;
  }

  @Override
  public BitSet kept() {
    BitSet kept = new BitSet(elements);
    for (long i = 0; i < survivors; i++) {
      kept.set(positions.get(INT, i * Integer.BYTES));
    }
    return kept;
  }

  @Override
  void move(int begin, int end, long values, long to, int first, boolean add) {
    int stop = rank(end);
    long at = positions.address() + (long) first * Integer.BYTES;
    long base = values - (long) begin * Float.BYTES;
    if (add) {
      add(at, base, to, stop - first);
    } else {
      gather(at, base, to, stop - first);
    }
  }

  private static void add(long positions, long base, long to, int count) {
    for (int i = 0; i < count; i++) {
      long shift = (long) i * Float.BYTES;
      long position = Memory.ALL.get(INT, Memory.at(positions + shift));
      float value = Memory.ALL.get(FLOAT, Memory.at(base + position * Float.BYTES));
      long at = Memory.at(to + shift);
      Memory.ALL.set(FLOAT, at, Memory.ALL.get(FLOAT, at) + value);
    }
  }

  private static void gather(long positions, long base, long to, int count) {
    for (int i = 0; i < count; i++) {
      long shift = (long) i * Float.BYTES;
      long position = Memory.ALL.get(INT, Memory.at(positions + shift));
      float value = Memory.ALL.get(FLOAT, Memory.at(base + position * Float.BYTES));
      Memory.ALL.set(FLOAT, Memory.at(to + shift), value);
    }
  }

  @Override
  void spread(int begin, int end, long from, int first, long values) {
    int stop = rank(end);
    Memory.ALL.asSlice(values, (long) (end - begin) * Float.BYTES).fill((byte) 0);
    long at = positions.address() + (long) first * Integer.BYTES;
    long base = values - (long) begin * Float.BYTES;
    for (int i = 0; i < stop - first; i++) {
      long shift = (long) i * Float.BYTES;
      long position = Memory.ALL.get(INT, Memory.at(at + shift));
      float value = Memory.ALL.get(FLOAT, Memory.at(from + shift));
      Memory.ALL.set(FLOAT, Memory.at(base + position * Float.BYTES), value);
    }
  }
}
