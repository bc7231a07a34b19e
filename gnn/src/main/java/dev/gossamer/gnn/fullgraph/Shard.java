package dev.gossamer.gnn.fullgraph;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.hop.HopFeatures;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.Arena;

/// The vertices of one rank, with their features.
///
/// @param members number of each row in the data set
/// @param features one row for each vertex of the shard, as the network reads them
@SuppressWarnings("ArrayRecordComponent")
record Shard(int[] members, Features features) {
  /// Returns the block of a rank. Features are copied unless the block is contiguous in the data
  /// set. Collective.
  ///
  /// @param arena shared, owner of copies
  /// @param hops of the features, on the rank's grid
  /// @param network what it reads
  static Shard of(Arena arena, HopFeatures hops, NetworkSettings network) {
    PlacedGraph graph = hops.graph();
    int block = hops.grid().row();
    Placement placement = graph.placement();
    Workers workers = hops.kernels().workers();
    Features own = placement.blockFeatures(arena, graph.data().features(), block, workers);
    return new Shard(placement.members(block), hops.of(arena, network, own));
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
