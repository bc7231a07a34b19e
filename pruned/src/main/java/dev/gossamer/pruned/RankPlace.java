package dev.gossamer.pruned;

import dev.gossamer.pruned.pipeline.RankSpeed;

/// The placement of the ranks of a planned run: consecutive ranks share a node.
///
/// @param ranks of the run
/// @param nodes that have ranks
/// @param ranksOfNode of a full node
/// @param threads of each rank
/// @param processes whether each rank is a process, as started by a launcher; otherwise they are
///   threads of one process
/// @param memory maximum bytes of a rank
/// @param speed of the ranks
public record RankPlace(
    int ranks,
    int nodes,
    int ranksOfNode,
    int threads,
    boolean processes,
    long memory,
    RankSpeed speed) {
  /// Returns the number of ranks that share the memory overhead of a process.
  int ranksOfProcess() {
    return processes ? 1 : ranks;
  }
}
