package dev.gossamer.comm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The offset of this rank's clock ([System#nanoTime]) from the first rank's.
///
/// @param nanos this rank's clock minus the first rank's
/// @param errorNanos maximum error of the offset
public record ClockOffset(long nanos, long errorNanos) {
  /// No offset: ranks are threads of one process, or this is the first rank.
  public static final ClockOffset NONE = new ClockOffset(0, 0);

  private static final int TAG = 2;
  private static final int ROUNDS = 32;

  /// Measures the offset of each rank, one after the other: the first rank requests the time, and
  /// the reply is assumed to be halfway between request and receipt. The shortest of several rounds
  /// counts; half its length bounds the error (Cristian, 1989). Later clock drift is ignored.
  /// Collective; `O(p)` round trips.
  ///
  /// @param world all ranks
  /// @return the offset of this rank's clock
  public static ClockOffset agree(Communicator world) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment message = arena.allocate(2 * Long.BYTES, Long.BYTES);
      world.barrier();
      if (world.rank() > 0) {
        return answer(world, message);
      }
      for (int peer = 1; peer < world.size(); peer++) {
        ask(world, peer, message);
      }
      return NONE;
    }
  }

  private static void ask(Communicator world, int peer, MemorySegment message) {
    MemorySegment time = message.asSlice(0, Long.BYTES);
    long shortest = Long.MAX_VALUE;
    long offset = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long asked = System.nanoTime();
      world.send(peer, TAG, time);
      world.receive(peer, TAG, time);
      long trip = System.nanoTime() - asked;
      if (trip < shortest) {
        shortest = trip;
        offset = time.get(ValueLayout.JAVA_LONG, 0) - (asked + trip / 2);
      }
    }
    message.setAtIndex(ValueLayout.JAVA_LONG, 0, offset);
    message.setAtIndex(ValueLayout.JAVA_LONG, 1, Math.ceilDiv(shortest, 2));
    world.send(peer, TAG, message);
  }

  private static ClockOffset answer(Communicator world, MemorySegment message) {
    MemorySegment time = message.asSlice(0, Long.BYTES);
    for (int round = 0; round < ROUNDS; round++) {
      world.receive(0, TAG, time);
      time.set(ValueLayout.JAVA_LONG, 0, System.nanoTime());
      world.send(0, TAG, time);
    }
    world.receive(0, TAG, message);
    return new ClockOffset(
        message.getAtIndex(ValueLayout.JAVA_LONG, 0), message.getAtIndex(ValueLayout.JAVA_LONG, 1));
  }
}
