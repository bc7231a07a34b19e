package dev.gossamer.gnn.fullgraph;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.Arena;

/// The vertices of one rank, with features, labels and split.
///
/// @param ids number of each row in the data set
/// @param features one row for each vertex of the shard
/// @param labels class of each vertex of the shard
/// @param split split code of each vertex of the shard
@SuppressWarnings("ArrayRecordComponent")
record Shard(RowIds ids, Features features, int[] labels, byte[] split, int classes) {
  /// Returns one block of a placement. Features are copied unless the block is contiguous in the
  /// data set.
  ///
  /// @param arena owner of copies
  static Shard of(Arena arena, PlacedGraph graph, int block, Workers workers) {
    GraphData data = graph.data();
    Placement placement = graph.placement();
    int[] members = placement.members(block);
    int[] labels = new int[members.length];
    byte[] split = new byte[members.length];
    for (int i = 0; i < members.length; i++) {
      labels[i] = data.labels()[members[i]];
      split[i] = data.split()[members[i]];
    }
    Features features = placement.blockFeatures(arena, data.features(), block, workers);
    return new Shard(RowIds.of(members), features, labels, split, data.classes());
  }

  /// Vertices of the shard.
  int rows() {
    return labels.length;
  }
}
