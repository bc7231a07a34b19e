package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.dense.OuterBlocks;
import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Objects;

/// The positions of a pruned parameter's survivors in its one-dimensional view (SAMO, section
/// III-B). One index serves weights, gradients and the optimizer's memory, which are
/// **compressed**: the survivors' values in ascending order of their positions.
///
/// All methods are local and run on the caller's thread. Different threads may process different
/// ranges of elements at the same time. The memory belongs to the arena given at construction.
public abstract sealed class SurvivorIndex permits PositionIndex, BitmapIndex {
  /// Elements that are expanded at a time: they stay in the first-level cache.
  private static final int EXPANDED = 1 << 12;

  /// Bytes of scratch memory that [#expand] needs.
  public static final int EXPAND_BYTES = 2 * EXPANDED * Float.BYTES;

  SurvivorIndex() {}

  /// {@return an index of the survivors of a parameter}
  ///
  /// @param arena owner of the memory
  /// @param kind form of the index
  /// @param elements number of elements of the parameter
  /// @param kept its survivors
  /// @throws IllegalArgumentException if the position of a survivor is out of range
  public static SurvivorIndex of(Arena arena, IndexKind kind, int elements, BitSet kept) {
    if (kept.length() > elements) {
      throw new IllegalArgumentException(
          "survivors: expected positions below %d, found %d"
              .formatted(elements, kept.length() - 1));
    }
    int survivors = kept.cardinality();
    return switch (kind) {
      case INT32 -> new PositionIndex(arena, elements, kept);
      case BITMAP -> new BitmapIndex(arena, elements, kept);
      case AUTO ->
          PositionIndex.bytes(elements, survivors) < BitmapIndex.bytes(elements)
              ? new PositionIndex(arena, elements, kept)
              : new BitmapIndex(arena, elements, kept);
    };
  }

  /// {@return the number of elements of the parameter}
  public abstract int elements();

  /// {@return the number of survivors}
  public abstract int survivors();

  /// {@return the bytes of the index}
  public abstract long bytes();

  /// {@return the number of survivors before a position: the index of its value in compressed
  /// memory}
  ///
  /// @param position `0..elements`
  /// @throws IndexOutOfBoundsException if the position is out of range
  public abstract int rank(int position);

  /// {@return a copy of the survivors' positions, on the Java heap}
  public abstract BitSet kept();

  /// Compresses the elements `begin..end-1`.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param values `float32[end - begin]`
  /// @param compressed `float32[survivors]`, overwritten for the survivors among these elements
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void compress(int begin, int end, MemorySegment values, MemorySegment compressed) {
    Ranges.require(this, begin, end, values, compressed);
    long from = Memory.address(values, 0, values.byteSize());
    long to = Memory.address(compressed, 0, compressed.byteSize());
    int at = rank(begin);
    long target = to + (long) at * Float.BYTES;
    Memory.hold(() -> move(begin, end, from, target, at, false), values, compressed, memory());
  }

  /// Compresses the elements `begin..end-1` and adds them to existing values.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param values `float32[end - begin]`
  /// @param compressed `float32[survivors]`, added to
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void compressAdd(
      int begin, int end, MemorySegment values, MemorySegment compressed) {
    Ranges.require(this, begin, end, values, compressed);
    long from = Memory.address(values, 0, values.byteSize());
    long to = Memory.address(compressed, 0, compressed.byteSize());
    int at = rank(begin);
    long target = to + (long) at * Float.BYTES;
    Memory.hold(() -> move(begin, end, from, target, at, true), values, compressed, memory());
  }

  /// Compresses a block of a matrix and adds it to existing values.
  ///
  /// @param block of the whole matrix
  /// @param width columns of the whole matrix
  /// @param compressed `float32[survivors]`, added to
  /// @throws IndexOutOfBoundsException if the block is not inside
  public final void compressAdd(OuterBlocks.Block block, int width, MemorySegment compressed) {
    Ranges.requireFloats("compressed", compressed, survivors());
    long bytes = (block.rows() - 1) * block.stride() + (long) block.cols() * Float.BYTES;
    long from = Memory.address(block.values(), 0, bytes);
    long to = Memory.address(compressed, 0, compressed.byteSize());
    Memory.hold(() -> addHeld(block, width, from, to), block.values(), compressed, memory());
  }

  private void addHeld(OuterBlocks.Block block, int width, long from, long to) {
    int begin = Math.addExact(Math.multiplyExact(block.top(), width), block.left());
    for (int i = 0; i < block.rows(); i++) {
      int at = rank(begin);
      long target = to + (long) at * Float.BYTES;
      move(begin, begin + block.cols(), from + i * block.stride(), target, at, true);
      begin += width;
    }
  }

  /// Expands the elements `begin..end-1`, with zeros for pruned elements: the inverse of
  /// [#compress].
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param compressed `float32[survivors]`
  /// @param values `float32[end - begin]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void expand(int begin, int end, MemorySegment compressed, MemorySegment values) {
    Ranges.require(this, begin, end, values, compressed);
    long from = Memory.address(compressed, 0, compressed.byteSize());
    long to = Memory.address(values, 0, values.byteSize());
    int at = rank(begin);
    long source = from + (long) at * Float.BYTES;
    Memory.hold(() -> spread(begin, end, source, at, to), values, compressed, memory());
  }

  /// Expands the elements `begin..end-1` of a parameter, in any format, from compressed values in
  /// any format (SAMO, section III-C: "expansion"). Needs [#EXPAND_BYTES] of additional memory.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param compressed all survivors, numbers of `stored`
  /// @param stored format of `compressed`
  /// @param dense all elements, numbers of `format`; `begin..end-1` are overwritten
  /// @param format of `dense`
  /// @param scratch at least [#EXPAND_BYTES], overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void expand(
      int begin,
      int end,
      MemorySegment compressed,
      NumberFormat stored,
      MemorySegment dense,
      NumberFormat format,
      MemorySegment scratch) {
    Objects.checkFromToIndex(begin, end, elements());
    Ranges.requireNumbers("compressed", compressed, survivors(), stored);
    Ranges.requireNumbers("dense", dense, elements(), format);
    long from = Memory.address(compressed, 0, compressed.byteSize());
    long to = Memory.address(dense, 0, dense.byteSize());
    long widened = Memory.address(scratch, 0, EXPAND_BYTES);
    Memory.hold(
        () -> expandHeld(begin, end, from, stored, to, format, widened),
        compressed,
        dense,
        scratch,
        memory());
  }

  private void expandHeld(
      int begin,
      int end,
      long from,
      NumberFormat stored,
      long to,
      NumberFormat format,
      long widened) {
    long spread = widened + EXPAND_BYTES / 2;
    int at = rank(begin);
    for (int p = begin; p < end; ) {
      int next = (int) Math.min(end, (long) p + EXPANDED);
      int rank = rank(next);
      long source = from + (long) at * stored.bytes();
      if (stored != NumberFormat.FLOAT32) {
        stored.widen(source, widened, rank - at);
        source = widened;
      }
      long target = to + (long) p * format.bytes();
      if (format == NumberFormat.FLOAT32) {
        spread(p, next, source, at, target);
      } else {
        spread(p, next, source, at, spread);
        format.narrow(spread, target, next - p);
      }
      p = next;
      at = rank;
    }
  }

  /// {@return whether an element survives}
  ///
  /// @param position of the element
  /// @throws IndexOutOfBoundsException if there is no such element
  public final boolean keeps(int position) {
    return rank(position) < rank(Math.addExact(position, 1));
  }

  /// What [#move] and [#spread] go through by address besides their arguments.
  abstract MemorySegment memory();

  /// Moves the survivors among `begin..end-1` to compressed memory, by address.
  ///
  /// @param values of the first element
  /// @param to where the first survivor's value goes
  /// @param first rank of the first survivor
  /// @param add whether to add to what is there
  abstract void move(int begin, int end, long values, long to, int first, boolean add);

  /// Writes the elements `begin..end-1`, by address.
  ///
  /// @param from the first survivor's value
  /// @param first rank of the first survivor
  /// @param values of the first element
  abstract void spread(int begin, int end, long from, int first, long values);
}
