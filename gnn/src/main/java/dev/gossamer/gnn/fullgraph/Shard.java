package dev.gossamer.gnn.fullgraph;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.Arena;

/// The vertices of one rank, with their features.
///
/// @param members number of each row in the data set
/// @param features one row for each vertex of the shard
@SuppressWarnings("ArrayRecordComponent")
record Shard(int[] members, Features features) {
  /// Returns one block of a placement. Features are copied unless the block is contiguous in the
  /// data set.
  ///
  /// @param arena owner of copies
  static Shard of(Arena arena, PlacedGraph graph, int block, Workers workers) {
    GraphData data = graph.data();
    Placement placement = graph.placement();
    int[] members = placement.members(block);
    Features features = placement.blockFeatures(arena, data.features(), block, workers);
    return new Shard(members, features);
  }

  /// Numbers of the rows in the data set.
  RowIds ids() {
    return RowIds.of(members);
  }

  /// Vertices of the shard.
  int rows() {
    return members.length;
  }
}
