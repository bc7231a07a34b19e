package dev.gossamer.tables;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The number of each vertex by its id, a whole number: a hash table with open addresses, 16 bytes
/// for each place, of which at most two thirds are taken (more of them above 1.4 billion ids, but
/// never all). Reading is thread-safe.
final class IdNumbers implements ArcFunction.Numbers, AutoCloseable {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final long PLACE = 2 * Long.BYTES;

  /// The number of a place is an `int`; there are still more of them than there can be vertices.
  private static final int MOST_BITS = Integer.SIZE - 1;

  /// The number at a free place.
  private static final int FREE = 0;

  /// Odd numbers that mix the bits of ids at equal distances, too: those of SplitMix64.
  private static final long FIRST = 0xBF58476D1CE4E5B9L;

  private static final long SECOND = 0x94D049BB133111EBL;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment places;
  private final int shift;
  private final long mask;

  /// @param most ids, at most
  IdNumbers(long most) {
    int enough = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, most + most / 2));
    int bits = Math.min(enough, MOST_BITS);
    shift = Long.SIZE - bits;
    mask = (1L << bits) - 1;
    places = arena.allocate(PLACE << bits, PLACE);
  }

  /// Adds an id that was not added before.
  ///
  /// @param number at least 0
  void add(long id, int number) {
    long at = place(first(id), id);
    places.set(LONG, at * PLACE, id);
    places.set(INT, at * PLACE + Long.BYTES, number + 1);
  }

  /// Looks up ids, in two passes: the first only asks for the first place of each, and as nothing
  /// depends on it a processor waits for many of those at a time; the second finds it in its cache.
  ///
  /// @param ids the first `count` are looked up
  /// @param numbers receives the number of each id; -1 if it was not added
  @Override
  public void of(long[] ids, int count, int[] numbers) {
    for (int i = 0; i < count; i++) {
      long at = first(ids[i]);
      numbers[i] = number(at) == FREE ? -1 : (int) at;
    }
    for (int i = 0; i < count; i++) {
      if (numbers[i] >= 0) {
        numbers[i] = number(place(numbers[i], ids[i])) - 1;
      }
    }
  }

  private long first(long id) {
    long mixed = (id ^ (id >>> 30)) * FIRST;
    return ((mixed ^ (mixed >>> 27)) * SECOND) >>> shift;
  }

  /// The place of an id, or a free one, from its first on.
  private long place(long first, long id) {
    long at = first;
    while (number(at) != FREE && places.get(LONG, at * PLACE) != id) {
      at = (at + 1) & mask;
    }
    return at;
  }

  /// The number of the id at a place, plus 1.
  private int number(long at) {
    return places.get(INT, at * PLACE + Long.BYTES);
  }

  @Override
  public void close() {
    arena.close();
  }
}
