package dev.gossamer.comm.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Memory for the library's request handles and statuses, which is reused: memory that the library
/// uses asynchronously must not move or be freed. Freed when it is no longer reachable.
final class RequestBlocks {
  /// Room for `capacity` handles, as many statuses and two integers of results.
  ///
  /// @param handles the handles, one after the other
  /// @param statuses the statuses
  /// @param flag one integer
  record Block(int capacity, MemorySegment handles, MemorySegment statuses, MemorySegment flag) {}

  private static final int SMALLEST = 16;

  private final MpiFlavour flavour;
  private final Arena arena = Arena.ofAuto();
  private final Map<Integer, Queue<Block>> free = new ConcurrentHashMap<>();

  RequestBlocks(MpiFlavour flavour) {
    this.flavour = flavour;
  }

  /// A block for at least `requests` requests.
  Block take(int requests) {
    int capacity = Math.max(SMALLEST, Integer.highestOneBit(Math.max(1, 2 * requests - 1)));
    Queue<Block> queue = free.computeIfAbsent(capacity, ignored -> new ConcurrentLinkedQueue<>());
    Block block = queue.poll();
    return block != null ? block : make(capacity);
  }

  private Block make(int capacity) {
    return new Block(
        capacity,
        arena.allocate((long) capacity * flavour.handleBytes(), 8),
        arena.allocate((long) capacity * flavour.statusBytes(), 8),
        arena.allocate(ValueLayout.JAVA_INT));
  }

  /// The block's requests are complete.
  void give(Block block) {
    Queue<Block> queue = free.get(block.capacity);
    if (queue != null) {
      queue.add(block);
    }
  }
}
