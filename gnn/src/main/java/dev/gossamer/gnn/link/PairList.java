package dev.gossamer.gnn.link;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.exchange.RowDistribution;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// A growing list of pairs of vertices, each of which has an edge or not. A pair is one number that
/// sorts by its first and then by its second vertex.
final class PairList {
  private long[] pairs = new long[64];
  private int count;

  /// Adds a pair.
  ///
  /// @param first a vertex, by the number of its row
  /// @param second another one
  /// @param edge whether there is an edge
  void add(int first, int second, boolean edge) {
    if (count == pairs.length) {
      pairs = Arrays.copyOf(pairs, Math.multiplyExact(count, 2));
    }
    pairs[count++] = (long) first << Integer.SIZE | (long) second << 1 | (edge ? 1 : 0);
  }

  static int first(long pair) {
    return (int) (pair >>> Integer.SIZE);
  }

  static int second(long pair) {
    return (int) (pair & 0xFFFFFFFFL) >>> 1;
  }

  static boolean isEdge(long pair) {
    return (pair & 1) != 0;
  }

  /// {@return the pairs in the order in which they were added}
  long[] inOrder() {
    return Arrays.copyOf(pairs, count);
  }

  /// {@return the pairs, ascending}
  long[] sorted() {
    long[] sorted = inOrder();
    Arrays.parallelSort(sorted);
    return sorted;
  }

  /// Sends each pair to the owner of its first vertex. Collective: two all-to-alls.
  ///
  /// @param comm a group whose rank `i` has block `i` of the vertices
  /// @param distribution of the vertices
  /// @return the pairs of all ranks whose first vertex is this rank's, ascending
  long[] toOwners(Communicator comm, RowDistribution distribution) {
    long[] mine = sorted();
    if (comm.size() == 1) {
      return mine;
    }
    long[] sent = new long[comm.size()];
    for (long pair : mine) {
      sent[distribution.owner(first(pair))]++;
    }
    try (Arena arena = Arena.ofShared()) {
      MemorySegment counts = arena.allocate(ValueLayout.JAVA_LONG, sent.length);
      comm.allToAll(arena.allocateFrom(ValueLayout.JAVA_LONG, sent), counts);
      PeerBlocks come = PeerBlocks.packedRows(counts.toArray(ValueLayout.JAVA_LONG), Long.BYTES);
      MemorySegment received = arena.allocate(come.totalBytes(), Long.BYTES);
      comm.allToAllV(
          arena.allocateFrom(ValueLayout.JAVA_LONG, mine),
          PeerBlocks.packedRows(sent, Long.BYTES),
          received,
          come);
      long[] all = received.toArray(ValueLayout.JAVA_LONG);
      Arrays.parallelSort(all);
      return all;
    }
  }
}
