package dev.gossamer.cli;

import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.pruned.pipeline.DensePlan;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.pipeline.StateSettings;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What `train-dense --plan` says: the memory of a rank for each number of stages, dense and
/// pruned.
///
/// @param limit bytes that a rank may take
record DensePlanReport(
    DenseNetwork network,
    StateSettings state,
    double sparsity,
    int threads,
    long limit,
    CommonOptions common) {
  private static final JsonMapper JSON = new JsonMapper();

  void print(PrintWriter out, List<PipelineSettings> grids) {
    if (common.json) {
      out.println(JSON.writeValueAsString(json(grids)));
      out.flush();
      return;
    }
    out.printf(
        Locale.ROOT,
        "%s has %,d parameters. Its state takes %s, %s with %.0f %% pruned.%n%n",
        network.name(),
        network.parameters(),
        MemoryEstimate.readable(state.denseBytes(network.parameters())),
        MemoryEstimate.readable(
            state.compressedBytes(network.parameters(), kept(network.parameters()))),
        100 * sparsity);
    Table table = new Table();
    table.row("stages", "replicas", "a rank, dense", "fits", "a rank, pruned", "fits");
    for (PipelineSettings settings : grids) {
      long dense = bytes(settings, 0);
      long pruned = bytes(settings, sparsity);
      table.row(
          settings.grid().inter(),
          settings.grid().data(),
          MemoryEstimate.readable(dense),
          dense <= limit ? "yes" : "no",
          MemoryEstimate.readable(pruned),
          pruned <= limit ? "yes" : "no");
    }
    table.print(out);
    out.printf("%nA rank may take %s.%n", MemoryEstimate.readable(limit));
    out.flush();
  }

  private long kept(long parameters) {
    return Math.round((1 - sparsity) * parameters);
  }

  private long bytes(PipelineSettings settings, double share) {
    return DensePlan.largest(StagePart.all(network, settings, state), share, threads).bytes();
  }

  private ObjectNode json(List<PipelineSettings> grids) {
    ObjectNode node = JSON.createObjectNode();
    long parameters = network.parameters();
    node.put("model", network.name());
    node.put("parameters", parameters);
    node.put("sparsity", sparsity);
    node.put("state_bytes_dense", state.denseBytes(parameters));
    node.put("state_bytes_pruned", state.compressedBytes(parameters, kept(parameters)));
    node.put("memory_per_rank", limit);
    ArrayNode all = node.putArray("grids");
    for (PipelineSettings settings : grids) {
      ObjectNode one = all.addObject();
      one.put("inter", settings.grid().inter());
      one.put("data_parallel", settings.grid().data());
      one.put("rank_bytes_dense", bytes(settings, 0));
      one.put("rank_bytes_pruned", bytes(settings, sparsity));
    }
    return node;
  }
}
