package dev.gossamer.gnn.historical;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ExchangePattern;
import dev.gossamer.exchange.RowDistribution;

/// Which other ranks have each solid vertex as a halo vertex: MB's `db_halo` (Algorithm 1), turned
/// round. MB keeps the halo vertices of each other rank and looks every solid vertex of a batch up
/// in all of them, so that the cost grows with the ranks; a list of ranks for each vertex costs
/// what it gives. Immutable. Memory: 4 bytes a solid vertex and a halo copy of one.
final class HaloDirectory {
  private final int[] starts;
  private final int[] ranks;

  /// Tells all ranks which vertices are halo here. Collective.
  HaloDirectory(Communicator comm, RowDistribution distribution, HaloPartition partition) {
    ExchangePattern pattern = new ExchangePattern(comm, distribution, partition.halos());
    starts = new int[partition.solids() + 1];
    pattern.forEachRowToSend((peer, solid) -> starts[solid + 1]++);
    for (int v = 0; v < partition.solids(); v++) {
      starts[v + 1] += starts[v];
    }
    ranks = new int[starts[partition.solids()]];
    int[] next = starts.clone();
    pattern.forEachRowToSend((peer, solid) -> ranks[next[solid]++] = peer);
  }

  /// First of the ranks of a solid vertex.
  int begin(int solid) {
    return starts[solid];
  }

  /// After the last of the ranks of a solid vertex.
  int end(int solid) {
    return starts[solid + 1];
  }

  /// A rank, by its place.
  int rank(int place) {
    return ranks[place];
  }
}
