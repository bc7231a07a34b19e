package dev.gossamer.gnn.historical;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ExchangePattern;
import dev.gossamer.exchange.RowDistribution;

/// The other ranks that cache a row of each solid vertex: the inverse of MB's `db_halo` (Algorithm
/// 1), without halo vertices that are not worth caching. MB stores the halo vertices of each other
/// rank and looks up every solid vertex of a batch in all of them, so that the cost grows with the
/// number of ranks; with a list of ranks per vertex it is the length of the list. Immutable.
/// Memory: 4 bytes per solid vertex and per copy.
final class HaloDirectory {
  private final int[] starts;
  private final int[] ranks;

  /// Announces the rows that this rank caches. Collective.
  ///
  /// @param solids vertices of this rank
  /// @param kept halo vertices, ascending
  HaloDirectory(Communicator comm, RowDistribution distribution, int solids, int[] kept) {
    ExchangePattern pattern = new ExchangePattern(comm, distribution, kept);
    starts = new int[solids + 1];
    pattern.forEachRowToSend((peer, solid) -> starts[solid + 1]++);
    for (int v = 0; v < solids; v++) {
      starts[v + 1] += starts[v];
    }
    ranks = new int[starts[solids]];
    int[] next = starts.clone();
    pattern.forEachRowToSend((peer, solid) -> ranks[next[solid]++] = peer);
  }

  /// Returns the number of copies of all solid vertices.
  int copies() {
    return ranks.length;
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

  /// The place of a solid vertex at a rank that keeps it.
  int place(int solid, int rank) {
    int place = starts[solid];
    while (ranks[place] != rank) {
      place++;
    }
    return place;
  }
}
