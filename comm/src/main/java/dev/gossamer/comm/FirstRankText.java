package dev.gossamer.comm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/// Broadcasts a text of the first rank, such as the path of a folder, to all ranks.
public final class FirstRankText {
  private FirstRankText() {}

  /// Sends the text of rank 0 to the others. Collective.
  ///
  /// @param world all ranks
  /// @param mine the text of this rank; ignored except on rank 0
  /// @return the text of rank 0
  public static String onAll(Communicator world, String mine) {
    byte[] text = mine.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_LONG, text.length);
      world.broadcast(0, length);
      MemorySegment bytes = arena.allocate(length.get(ValueLayout.JAVA_LONG, 0));
      if (bytes.byteSize() == 0) {
        return "";
      }
      if (world.rank() == 0) {
        bytes.copyFrom(MemorySegment.ofArray(text));
      }
      world.broadcast(0, bytes);
      return new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }
}
