package dev.gossamer.comm.net;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.RankBody;
import dev.gossamer.comm.RankFailedException;

/// Runs this process, or a thread of it, as one of the ranks that another program has started.
public final class NetRanks {
  private NetRanks() {}

  /// Connects all ranks with each other, runs `body` in the calling thread and closes the
  /// connections. Collective.
  ///
  /// A rank that throws, ends, or cannot be reached any more ends the others: ranks that wait get a
  /// [RankFailedException] that names it at once, ranks that compute get it from the next operation
  /// that they call. The process goes on: what becomes of it is its starter's decision.
  ///
  /// The port is chosen by the system, open until all ranks are connected, and admits nobody who
  /// does not know a random token of 32 bytes, which [Gathering] has distributed. What ranks say is
  /// in the clear unless all have [NetOptions#withEncryption].
  ///
  /// @param rank of this process, `0..size-1`
  /// @param size number of ranks
  /// @param gathering by which they tell each other their addresses
  /// @param options for the connections
  /// @param body the code that the rank runs
  /// @throws RankFailedException if a rank failed, with its exception (of another rank: its words)
  ///   as the cause
  /// @throws CommunicationException if not all ranks come, or if they disagree about encryption
  public static void run(
      int rank, int size, Gathering gathering, NetOptions options, RankBody body) {
    if (size < 1 || rank < 0 || rank >= size) {
      throw new IllegalArgumentException(
          "ranks: expected a rank in 0..size-1, found rank %d of %d".formatted(rank, size));
    }
    try (NetWorld world =
        new NetWorld(rank, Mesh.connect(rank, size, gathering, options), options)) {
      try {
        body.run(world.communicator());
        world.end();
      } catch (Throwable e) {
        world.fail(rank, e);
        throw world.failure();
      }
    }
  }
}
