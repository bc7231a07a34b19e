package dev.gossamer.gnn.link;

import dev.gossamer.graph.Links;
import dev.gossamer.matrix.random.Philox;

/// Draws the pairs that training edges are compared with. What is drawn depends on the seed, the
/// epoch and the number of the edge alone, so that the pairs of an epoch are the same for any
/// number of ranks, on the whole graph and in batches.
///
/// @param comparison the edges, and how pairs are drawn
/// @param seed of the draws
record TrainingPairs(LinkComparison comparison, long seed) {
  private static final int STREAM = 0x4c4e4547;

  /// Receives pairs, by the data set's numbers of vertices.
  @FunctionalInterface
  interface Sink {
    /// @param type number of the type of the edge
    /// @param edge whether there is an edge
    void add(int source, int target, int type, boolean edge);
  }

  /// {@return the draws of an epoch}
  ///
  /// @param epoch from 0 on
  Philox ofEpoch(int epoch) {
    return Philox.keyed(seed, STREAM, epoch);
  }

  /// Adds an edge and the pairs against it.
  ///
  /// @param philox draws of the epoch
  /// @param edge number of the edge
  /// @param sink receives [#each] pairs
  void add(Philox philox, int edge, Sink sink) {
    Links links = comparison.task().parts().train();
    int source = links.sources()[edge];
    int target = links.targets()[edge];
    int type = links.type(edge);
    sink.add(source, target, type, true);
    boolean replacesSource = comparison.training().replacesSource(philox, edge, source, target);
    int kept = replacesSource ? target : source;
    int replaced = source + target - kept;
    for (int k = 0; k < comparison.task().negatives(); k++) {
      int other = comparison.training().instead(philox, kept, replaced, edge, k);
      sink.add(replacesSource ? other : source, replacesSource ? target : other, type, false);
    }
  }

  /// {@return pairs of an edge: itself and those against it}
  int each() {
    return 1 + comparison.task().negatives();
  }
}
