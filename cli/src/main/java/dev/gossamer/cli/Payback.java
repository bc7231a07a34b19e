package dev.gossamer.cli;

import dev.gossamer.GraphPartitioning;
import dev.gossamer.exchange.ExchangeVolume;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.RankPlan;
import java.io.PrintWriter;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/// When the time that a partitioner took is won back: compared with consecutive numbers, which cost
/// nothing, and by the exchange's time that this run measured, which is taken to be proportional to
/// the rows that the busiest rank sends (SA, section 5).
///
/// @param busiest rows that the busiest rank sends in a multiplication
/// @param busiestOfBlocks rows that it would send under `--placement block`
/// @param exchangeSeconds per epoch that ranks waited for rows
record Payback(
    GraphPartitioning.Result partitioning,
    long busiest,
    long busiestOfBlocks,
    double exchangeSeconds) {

  static Payback of(GraphPartitioning.Result partitioning, RankPlan plan, double exchangeSeconds) {
    Placement blocks =
        Placement.block(plan.graph().data().vertices(), plan.placement().distribution().blocks());
    ExchangeVolume volume =
        ExchangeVolume.of(
            plan.graph().data().adjacency(),
            blocks,
            plan.strategy().kind(),
            plan.strategy().replication());
    return new Payback(
        partitioning, plan.backward().mostRowsSent(), volume.mostRowsSent(), exchangeSeconds);
  }

  /// Seconds per epoch that the partition saves; 0 if it saves none.
  double savedSeconds() {
    return busiest == 0 ? 0 : exchangeSeconds * Math.max(0, (double) busiestOfBlocks / busiest - 1);
  }

  /// Epochs after which it has paid for itself, or -1 for never.
  long epochs() {
    double saved = savedSeconds();
    return saved == 0 ? -1 : (long) Math.ceil(partitioning.seconds() / saved);
  }

  void put(ObjectNode node) {
    node.put("partition_method", partitioning.method());
    node.put("partition_seconds", partitioning.seconds());
    node.put("max_rows_sent", busiest);
    node.put("max_rows_sent_block_placement", busiestOfBlocks);
    if (epochs() < 0) {
      node.putNull("partition_pays_after_epochs");
    } else {
      node.put("partition_pays_after_epochs", epochs());
    }
  }

  void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "placed   by %s in %.2f s: the busiest rank sends %,d rows, %,d with --placement block; %s%n",
        partitioning.method(),
        partitioning.seconds(),
        busiest,
        busiestOfBlocks,
        epochs() < 0
            ? "it saves no time of exchange here"
            : String.format(
                Locale.ROOT,
                "pays for itself after %,d epochs (%.4f s of exchange per epoch)",
                epochs(),
                exchangeSeconds));
  }
}
