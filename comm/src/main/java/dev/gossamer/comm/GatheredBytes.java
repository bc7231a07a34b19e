package dev.gossamer.comm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// Gathers bytes of all ranks on the first rank.
public final class GatheredBytes {
  private static final int TAG = 3;

  private GatheredBytes() {}

  /// Gathers the bytes of each rank, of any length, on rank 0. Collective.
  ///
  /// @param world all ranks
  /// @param mine bytes of this rank
  /// @return on rank 0, the bytes of all ranks in rank order; empty on others
  public static List<byte[]> onFirst(Communicator world, byte[] mine) {
    try (Arena arena = Arena.ofShared()) {
      int size = world.size();
      MemorySegment lengths = arena.allocate((long) size * Long.BYTES, Long.BYTES);
      MemorySegment own = lengths.asSlice((long) world.rank() * Long.BYTES, Long.BYTES);
      own.set(ValueLayout.JAVA_LONG, 0, mine.length);
      world.allGather(own, lengths);
      if (world.rank() > 0) {
        MemorySegment message = arena.allocate(mine.length);
        message.copyFrom(MemorySegment.ofArray(mine));
        world.send(0, TAG, message);
        return List.of();
      }
      List<byte[]> all = new ArrayList<>(List.of(mine));
      for (int peer = 1; peer < size; peer++) {
        MemorySegment message = arena.allocate(lengths.getAtIndex(ValueLayout.JAVA_LONG, peer));
        world.receive(peer, TAG, message);
        all.add(message.toArray(ValueLayout.JAVA_BYTE));
      }
      return all;
    }
  }
}
