package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Link;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The transit time of a message between stages: computed for an imitated link, measured before the
/// run for a real one. This part of a wait is not a bubble.
final class MessageTime {
  private static final int TAG = 5;
  private static final int ROUNDS = 5;

  private MessageTime() {}

  /// Returns the nanoseconds of the larger message that this stage sends or receives. Collective
  /// over the stages.
  ///
  /// @param pipeline the stages of this replica, in their order
  /// @param link that is imitated, if one is
  static long nanos(Communicator pipeline, StagePlan plan, @Nullable Link link) {
    if (link != null) {
      return Math.round(
          (link.alphaSeconds() + plan.messageBytes() * link.betaSecondsPerByte()) * 1e9);
    }
    long longest = 0;
    // Neighbours in pairs, first those that begin with an even stage.
    for (int parity = 0; parity < 2; parity++) {
      boolean earlier = pipeline.rank() % 2 == parity;
      int peer = pipeline.rank() + (earlier ? 1 : -1);
      if (peer >= 0 && peer < pipeline.size()) {
        long bytes = earlier ? plan.bytesSent() : plan.bytesReceived();
        longest = Math.max(longest, halfOfRoundTrip(pipeline, peer, bytes, earlier));
      }
    }
    return longest;
  }

  /// The shortest of a few: a longer one was held up by something else.
  private static long halfOfRoundTrip(
      Communicator pipeline, int peer, long bytes, boolean sendsFirst) {
    long shortest = Long.MAX_VALUE;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment message = arena.allocate(bytes);
      for (int round = 0; round < ROUNDS; round++) {
        long begin = System.nanoTime();
        if (sendsFirst) {
          pipeline.send(peer, TAG, message);
        }
        pipeline.receive(peer, TAG, message);
        if (!sendsFirst) {
          pipeline.send(peer, TAG, message);
        }
        // Who answers counts from one answer to the next.
        shortest = Math.min(shortest, System.nanoTime() - begin);
      }
    }
    return shortest / 2;
  }
}
