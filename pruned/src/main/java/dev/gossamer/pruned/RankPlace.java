package dev.gossamer.pruned;

import dev.gossamer.pruned.pipeline.RankSpeed;

/// Where the ranks of a planned run are: consecutive ones share a node.
///
/// @param ranks of the run
/// @param nodes that have some
/// @param ranksOfNode of a full node
/// @param threads of each rank
/// @param processes whether each rank is a process, as a launcher starts them; else they are
///   threads of one
/// @param memory bytes that a rank may take
/// @param speed of the ranks
public record RankPlace(
    int ranks,
    int nodes,
    int ranksOfNode,
    int threads,
    boolean processes,
    long memory,
    RankSpeed speed) {
  /// Ranks that share what a process takes besides them.
  int ranksOfProcess() {
    return processes ? 1 : ranks;
  }
}
