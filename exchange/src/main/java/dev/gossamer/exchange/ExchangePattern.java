package dev.gossamer.exchange;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Which rows each rank sends to each other rank. Ranks agree on it once, before any buffer exists.
///
/// Each rank determines which rows it needs (for a sparse product `NnzCols(i, j)`, SA, Algorithm 1)
/// and sends their numbers to the owners. Immutable. Memory: 4 bytes per row needed and per row to
/// send.
public final class ExchangePattern {
  private final Communicator comm;
  private final RowDistribution distribution;
  private final int[] needed;
  private final int[] sent;
  private final long[] neededFrom;
  private final long[] sentTo;

  /// Sends the numbers of the rows that this rank needs to their owners. Collective: two
  /// all-to-alls.
  ///
  /// @param comm a group whose rank `i` owns block `i`; borrowed
  /// @param distribution of all rows
  /// @param rows global numbers of the rows that this rank needs, strictly ascending; its own rows
  ///   are ignored
  /// @throws IllegalArgumentException if the number of blocks is not that of the ranks, or the rows
  ///   do not ascend
  /// @throws IndexOutOfBoundsException if there is no such row
  public ExchangePattern(Communicator comm, RowDistribution distribution, int[] rows) {
    if (distribution.blocks() != comm.size()) {
      throw new IllegalArgumentException(
          "exchange: %d blocks of rows for %d ranks; each rank needs one block"
              .formatted(distribution.blocks(), comm.size()));
    }
    this.comm = comm;
    this.distribution = distribution;
    needed = remote(distribution, comm.rank(), rows);
    neededFrom = new long[comm.size()];
    for (int row : needed) {
      neededFrom[distribution.owner(row)]++;
    }
    try (Arena arena = Arena.ofShared()) {
      sentTo = tellCounts(arena);
      sent = tellRows(arena);
    }
  }

  private static int[] remote(RowDistribution distribution, int rank, int[] rows) {
    int begin = distribution.begin(rank);
    int end = distribution.end(rank);
    int[] remote = new int[rows.length];
    int count = 0;
    for (int k = 0; k < rows.length; k++) {
      if (k > 0 && rows[k] <= rows[k - 1]) {
        throw new IllegalArgumentException(
            "exchange: needed row %d is %d after %d; expected ascending rows"
                .formatted(k, rows[k], rows[k - 1]));
      }
      if (rows[k] < begin || rows[k] >= end) {
        remote[count++] = rows[k];
      }
    }
    return Arrays.copyOf(remote, count);
  }

  private long[] tellCounts(Arena arena) {
    int size = comm.size();
    MemorySegment mine = arena.allocateFrom(ValueLayout.JAVA_LONG, neededFrom);
    MemorySegment theirs = arena.allocate(ValueLayout.JAVA_LONG, size);
    comm.allToAll(mine, theirs);
    return theirs.toArray(ValueLayout.JAVA_LONG);
  }

  /// @return the rows to send as rows of this rank's block, grouped by receiver
  private int[] tellRows(Arena arena) {
    MemorySegment mine = arena.allocateFrom(ValueLayout.JAVA_INT, needed);
    MemorySegment theirs = arena.allocate(ValueLayout.JAVA_INT, rowsToSend());
    comm.allToAllV(mine, rowsByOwner(Integer.BYTES), theirs, rowsByReceiver(Integer.BYTES));
    int[] rows = theirs.toArray(ValueLayout.JAVA_INT);
    int begin = distribution.begin(comm.rank());
    for (int k = 0; k < rows.length; k++) {
      rows[k] -= begin;
    }
    return rows;
  }

  Communicator comm() {
    return comm;
  }

  /// {@return number of rows that this rank receives}
  public int rowsNeeded() {
    return needed.length;
  }

  /// {@return rows that this rank receives from a rank}
  ///
  /// @param peer another rank
  public long rowsNeeded(int peer) {
    return neededFrom[peer];
  }

  /// {@return number of rows that this rank sends; a row for several ranks counts once for each}
  public long rowsToSend() {
    return Arrays.stream(sentTo).sum();
  }

  /// {@return rows that this rank sends to a rank}
  ///
  /// @param peer another rank
  public long rowsToSend(int peer) {
    return sentTo[peer];
  }

  /// Receives the rows to send.
  @FunctionalInterface
  public interface RowToSend {
    /// Receives a row.
    ///
    /// @param peer rank that needs it
    /// @param row of this rank's block
    void accept(int peer, int row);
  }

  /// Iterates over all rows that this rank sends, peer by peer.
  ///
  /// @param action called for each row
  public void forEachRowToSend(RowToSend action) {
    int k = 0;
    for (int peer = 0; peer < sentTo.length; peer++) {
      for (long i = 0; i < sentTo[peer]; i++) {
        action.accept(peer, sent[k++]);
      }
    }
  }

  /// {@return number of rows of this rank's block}
  public int ownRows() {
    return distribution.count(comm.rank());
  }

  /// {@return the global number of the `k`-th row that this rank receives; they ascend, and so are
  /// grouped by owner}
  ///
  /// @param k 0-based
  public int neededRow(int k) {
    return needed[k];
  }

  /// Returns the rows of this rank's block to send, grouped by receiver.
  int[] sentRows() {
    return sent;
  }

  /// Returns where the rows of each peer are among the received rows.
  PeerBlocks rowsByOwner(long rowBytes) {
    return PeerBlocks.packedRows(neededFrom, rowBytes);
  }

  /// Returns where the rows for each peer are among the sent rows.
  PeerBlocks rowsByReceiver(long rowBytes) {
    return PeerBlocks.packedRows(sentTo, rowBytes);
  }
}
