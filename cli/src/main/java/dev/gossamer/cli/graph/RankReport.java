package dev.gossamer.cli.graph;

import dev.gossamer.GraphPartitioning;
import dev.gossamer.RankSettings;
import dev.gossamer.TrainingFacts;
import dev.gossamer.TrainingPlan;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.comm.Link;
import dev.gossamer.gnn.fullgraph.RankPlan;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// Prints the traffic between ranks in an epoch.
///
/// @param where placement of the vertices, as in `--placement`
/// @param placement by the partition that was made for this run, or null if none was
/// @param bytes sent per epoch, by rank
/// @param messages sent per epoch, by rank
/// @param link the imitated network, or null
record RankReport(
    RankPlan plan,
    String where,
    @Nullable PlacementReport placement,
    List<Long> bytes,
    List<Long> messages,
    @Nullable String link)
    implements FactsReport {
  RankReport {
    bytes = List.copyOf(bytes);
    messages = List.copyOf(messages);
  }

  static RankReport of(TrainingPlan.WholeGraph whole, TrainingFacts.Sent sent, RankSettings ranks) {
    GraphPartitioning.Result made = whole.partitioning();
    String where = ranks.placement();
    Link link = ranks.ranks().threads().link();
    return new RankReport(
        whole.plan(),
        where == null ? RankSettings.USUAL_PLACEMENT : where,
        made == null ? null : PlacementReport.of(made, whole.plan()),
        sent.bytes(),
        sent.messages(),
        link == null ? null : link.toString());
  }

  /// Rows that the plan sends in one multiplication.
  private long plannedRows() {
    return plan.forward().rows();
  }

  private long total() {
    return bytes.stream().mapToLong(Long::longValue).sum();
  }

  private long maximum() {
    return bytes.stream().mapToLong(Long::longValue).max().orElse(0);
  }

  private double average() {
    return (double) total() / bytes.size();
  }

  private double imbalancePercent() {
    return total() == 0 ? 0 : 100 * (maximum() / average() - 1);
  }

  @Override
  public void put(ObjectNode node) {
    node.put("ranks", bytes.size());
    node.put("exchange", Choice.name(plan.strategy().kind()));
    node.put("replication", plan.strategy().replication());
    node.put("overlap", plan.strategy().overlap());
    node.put("placement", where);
    node.put("wire", Choice.name(plan.strategy().wire()));
    ObjectNode sent = node.putObject("bytes_sent_per_epoch");
    sent.put("avg", average());
    sent.put("max", maximum());
    sent.put("total", total());
    node.put("messages_per_epoch", messages.stream().mapToLong(Long::longValue).sum());
    node.put("rows_planned", plannedRows());
    node.put("rows_oblivious", plan.obliviousRows());
    node.put("imbalance_percent", imbalancePercent());
    if (placement != null) {
      placement.put(node);
    }
    if (link != null) {
      node.put("imitated_link", link);
    }
  }

  @Override
  public void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "traffic  %d ranks sent %,d bytes per epoch, rows in %s (most of one rank %,d, %.0f %% above the average)%n",
        bytes.size(),
        total(),
        Choice.name(plan.strategy().wire()),
        maximum(),
        imbalancePercent());
    out.printf(
        Locale.ROOT,
        "         %,d rows per multiplication, %.1f %% of the oblivious exchange's %,d%n",
        plannedRows(),
        plan.obliviousRows() == 0 ? 0 : 100.0 * plannedRows() / plan.obliviousRows(),
        plan.obliviousRows());
    if (placement != null) {
      placement.print(out);
    }
    if (link != null) {
      out.printf("         over a simulated network of %s%n", link);
    }
  }
}
