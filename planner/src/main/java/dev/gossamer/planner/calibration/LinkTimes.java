package dev.gossamer.planner.calibration;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The times of messages between ranks.
///
/// @param single a message between two ranks without other traffic
/// @param exchange a message of an all-to-all, in which every rank sends one to each other
public record LinkTimes(LinkRates single, LinkRates exchange) {
  private static final int TAG = 2;

  /// Bytes of a row of a few columns.
  private static final int SMALL = 256;

  /// Operations of small messages that are timed together.
  private static final int REPEATS = 20;

  /// Sizes of messages, in bytes.
  @FunctionalInterface
  private interface Operation {
    void run(Communicator ranks, MemorySegment send, MemorySegment receive, long bytes);
  }

  /// {@return the times between some ranks, the same on all of them} Collective.
  ///
  /// @param ranks at least two
  /// @param effort how much is measured
  static LinkTimes measured(Communicator ranks, Effort effort) {
    int large = effort == Effort.QUICK ? 1 << 20 : 1 << 24;
    int peers = ranks.size() - 1;
    return new LinkTimes(
        link(ranks, large, 2, effort, LinkTimes::backAndForth),
        link(ranks, Math.max(SMALL, large / peers), peers, effort, LinkTimes::toAll));
  }

  /// @param bytes of a large message
  /// @param messages of one operation that follow each other
  private static LinkRates link(
      Communicator ranks, long bytes, int messages, Effort effort, Operation operation) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment send = arena.allocate(bytes * messages, DenseMatrix.ALIGNMENT);
      MemorySegment receive = arena.allocate(bytes * messages, DenseMatrix.ALIGNMENT);
      int rounds = 2 * Repetition.of(effort).rounds() + 1;
      double few = seconds(ranks, send, receive, SMALL, REPEATS, rounds, operation);
      double many = seconds(ranks, send, receive, bytes, 1, rounds, operation);
      // Most of a large message's time is that of its bytes, whatever disturbed the small ones.
      double latency = Math.min(few, many / 2);
      return new LinkRates(latency / messages, messages * (double) bytes / (many - latency));
    }
  }

  private static double seconds(
      Communicator ranks,
      MemorySegment send,
      MemorySegment receive,
      long bytes,
      int repeats,
      int rounds,
      Operation operation) {
    double[] seconds = new double[rounds];
    for (int round = -1; round < rounds; round++) {
      ranks.barrier();
      long begin = System.nanoTime();
      // What is called often is compiled before it counts.
      for (int i = 0; i < (round < 0 ? 10 : 1) * repeats; i++) {
        operation.run(ranks, send, receive, bytes);
      }
      if (round >= 0) {
        seconds[round] = Math.max(1, System.nanoTime() - begin) / 1e9 / repeats;
      }
    }
    return largest(ranks, KernelTimes.lowerQuartile(seconds));
  }

  /// Of the slowest rank.
  private static double largest(Communicator ranks, double mine) {
    try (Arena arena = Arena.ofShared()) {
      return Team.of(ranks, arena).max(mine)[0];
    }
  }

  private static void backAndForth(
      Communicator ranks, MemorySegment send, MemorySegment receive, long bytes) {
    MemorySegment out = send.asSlice(0, bytes);
    MemorySegment in = receive.asSlice(0, bytes);
    if (ranks.rank() == 0) {
      ranks.send(1, TAG, out);
      ranks.receive(1, TAG, in);
    } else if (ranks.rank() == 1) {
      ranks.receive(0, TAG, in);
      ranks.send(0, TAG, out);
    }
  }

  private static void toAll(
      Communicator ranks, MemorySegment send, MemorySegment receive, long bytes) {
    long[] counts = new long[ranks.size()];
    Arrays.fill(counts, bytes);
    counts[ranks.rank()] = 0;
    PeerBlocks blocks = PeerBlocks.packed(counts);
    ranks.allToAllV(send, blocks, receive, blocks);
  }
}
