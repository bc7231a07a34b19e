package dev.gossamer.tables;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The number of each vertex by its id, a whole number: a hash table with open addresses, 16 bytes
/// for each place, of which at most two thirds are taken. Reading is thread-safe.
final class IdNumbers implements ArcFunction.Numbers, AutoCloseable {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final long PLACE = 2 * Long.BYTES;

  /// Odd numbers that mix the bits of ids at equal distances, too: those of SplitMix64.
  private static final long FIRST = 0xBF58476D1CE4E5B9L;

  private static final long SECOND = 0x94D049BB133111EBL;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment places;
  private final int shift;
  private final long mask;

  /// @param most ids, at most
  IdNumbers(long most) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, most + most / 2));
    shift = Long.SIZE - bits;
    mask = (1L << bits) - 1;
    places = arena.allocate(PLACE << bits, PLACE);
  }

  /// Adds an id that was not added before.
  ///
  /// @param number at least 0
  void add(long id, int number) {
    long at = place(id);
    places.set(LONG, at, id);
    // 0 is that of a free place.
    places.set(INT, at + Long.BYTES, number + 1);
  }

  /// Looks up ids. Most are in their first place, and a processor waits for many of those at a time
  /// as long as nothing depends on them.
  ///
  /// @param ids the first `count` are looked up
  /// @param numbers receives the number of each id; -1 if it was not added
  @Override
  public void of(long[] ids, int count, int[] numbers) {
    for (int i = 0; i < count; i++) {
      long at = first(ids[i]) * PLACE;
      int number = places.get(INT, at + Long.BYTES) - 1;
      numbers[i] = places.get(LONG, at) == ids[i] ? number : -1;
    }
    for (int i = 0; i < count; i++) {
      if (numbers[i] < 0) {
        numbers[i] = places.get(INT, place(ids[i]) + Long.BYTES) - 1;
      }
    }
  }

  private long first(long id) {
    long mixed = (id ^ (id >>> 30)) * FIRST;
    return ((mixed ^ (mixed >>> 27)) * SECOND) >>> shift;
  }

  /// The place of an id, or a free one.
  private long place(long id) {
    long at = first(id);
    while (places.get(INT, at * PLACE + Long.BYTES) != 0 && places.get(LONG, at * PLACE) != id) {
      at = (at + 1) & mask;
    }
    return at * PLACE;
  }

  @Override
  public void close() {
    arena.close();
  }
}
