package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Communicator;

/// The ranks that hold the same stage, in two groups: collectives of one are matched in the order
/// in which they begin, and the two steps of a sum begin independently.
record Replicas(Communicator first, Communicator second) implements AutoCloseable {
  /// The replicas of this rank's stage. Collective.
  static Replicas of(Communicator world, RankGrid grid) {
    int stage = grid.stage(world.rank());
    int replica = grid.replica(world.rank());
    return new Replicas(world.split(stage, replica), world.split(stage, replica));
  }

  @Override
  public void close() {
    second.close();
    first.close();
  }
}
