package dev.gossamer.cli.graph;

import dev.gossamer.GraphPartitioning;
import dev.gossamer.exchange.ExchangeVolume;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.RankPlan;
import java.io.PrintWriter;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/// The cost and the benefit of a partitioner: rows of the busiest ranks in a multiplication,
/// compared with a free placement by consecutive numbers.
///
/// @param rows with its placement
/// @param ofBlocks with `--placement block`
record PlacementReport(GraphPartitioning.Result partitioning, Busiest rows, Busiest ofBlocks) {
  /// Rows in a multiplication.
  ///
  /// @param sent by the rank that sends most
  /// @param received by the rank that receives most
  record Busiest(long sent, long received) {
    private static Busiest of(ExchangeVolume volume) {
      return new Busiest(volume.mostRowsSent(), volume.mostRowsReceived());
    }
  }

  static PlacementReport of(GraphPartitioning.Result partitioning, RankPlan plan) {
    Placement blocks =
        Placement.block(plan.graph().data().vertices(), plan.placement().distribution().blocks());
    ExchangeVolume volume =
        ExchangeVolume.of(
            plan.graph().data().adjacency(),
            blocks,
            plan.strategy().kind(),
            plan.strategy().replication());
    return new PlacementReport(partitioning, Busiest.of(plan.backward()), Busiest.of(volume));
  }

  void put(ObjectNode node) {
    node.put("partition_method", partitioning.method());
    node.put("partition_seconds", partitioning.seconds());
    node.put("max_rows_sent", rows.sent());
    node.put("max_rows_received", rows.received());
    node.put("max_rows_sent_block_placement", ofBlocks.sent());
    node.put("max_rows_received_block_placement", ofBlocks.received());
  }

  void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "placed   by %s in %.2f s: a rank sends %,d rows and receives %,d at most, with --placement block %,d and %,d%n",
        partitioning.method(),
        partitioning.seconds(),
        rows.sent(),
        rows.received(),
        ofBlocks.sent(),
        ofBlocks.received());
  }
}
