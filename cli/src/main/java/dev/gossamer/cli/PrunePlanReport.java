package dev.gossamer.cli;

import dev.gossamer.pruned.MemoryPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What `prune train --plan` says: the memory of a rank for each number of stages, unpruned and
/// pruned.
record PrunePlanReport(MemoryPlan plan, CommonOptions common) {

  void print(PrintWriter out) {
    if (common.json) {
      out.println(JsonOutput.line(json()));
      out.flush();
      return;
    }
    out.printf(
        Locale.ROOT,
        "%s has %,d parameters. Its state takes %s, %s with %.0f %% pruned.%n%n",
        plan.network().name(),
        plan.network().parameters(),
        MemoryEstimate.readable(plan.denseStateBytes()),
        MemoryEstimate.readable(plan.prunedStateBytes()),
        100 * plan.sparsity());
    Table table = new Table();
    table.row("stages", "replicas", "per rank, unpruned", "fits", "per rank, pruned", "fits");
    for (MemoryPlan.OnGrid each : plan.grids()) {
      table.row(
          each.grid().inter(),
          each.grid().data(),
          MemoryEstimate.readable(each.denseBytes()),
          fits(each.denseBytes()),
          MemoryEstimate.readable(each.prunedBytes()),
          fits(each.prunedBytes()));
    }
    table.print(out);
    out.printf("%nA rank may take %s.%n", MemoryEstimate.readable(plan.limit()));
    out.flush();
  }

  private String fits(long bytes) {
    return bytes <= plan.limit() ? "yes" : "no";
  }

  private ObjectNode json() {
    ObjectNode node = JsonOutput.object();
    node.put("model", plan.network().name());
    node.put("parameters", plan.network().parameters());
    node.put("sparsity", plan.sparsity());
    node.put("state_bytes_dense", plan.denseStateBytes());
    node.put("state_bytes_pruned", plan.prunedStateBytes());
    node.put("memory_per_rank", plan.limit());
    ArrayNode all = node.putArray("grids");
    for (MemoryPlan.OnGrid each : plan.grids()) {
      ObjectNode one = all.addObject();
      one.put("inter", each.grid().inter());
      one.put("data_parallel", each.grid().data());
      one.put("rank_bytes_dense", each.denseBytes());
      one.put("rank_bytes_pruned", each.prunedBytes());
    }
    return node;
  }
}
