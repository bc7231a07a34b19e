package dev.gossamer.cli;

import dev.gossamer.pruned.MemoryPlan;
import dev.gossamer.pruned.MemoryPlan.OnGrid;
import dev.gossamer.pruned.layers.Shape;
import dev.gossamer.pruned.pipeline.Grid;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.IterationForecast.Speed;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What `prune train --plan` says: memory of a rank and seconds of an iteration for each number of
/// stages, unpruned and pruned, and which is to be taken.
///
/// @param peak floating-point operations that the threads of a rank multiply at most per second
record PrunePlanReport(MemoryPlan plan, double peak, CommonOptions common) {

  void print(PrintWriter out) {
    if (common.json) {
      out.println(JsonOutput.line(json()));
    } else {
      network(out);
      memory(out);
      seconds(out);
      out.println();
      advice(out);
    }
    out.flush();
  }

  private Speed speed() {
    return new Speed(IterationForecast.SHARE * peak, plan.rank().link());
  }

  private void network(PrintWriter out) {
    out.printf("data     %s%n", plan.data() == null ? "none is read: " + sizes() : plan.data());
    out.printf(
        Locale.ROOT,
        "model    %s  %,d parameters in %s%n",
        plan.network().name(),
        plan.network().parameters(),
        Choice.name(plan.state().format()));
    out.printf(
        Locale.ROOT,
        "state    %s, %s with %.0f %% pruned%n",
        MemoryEstimate.readable(plan.denseStateBytes()),
        MemoryEstimate.readable(plan.prunedStateBytes()),
        100 * plan.sparsity());
    out.printf("limit    %s per rank%n%n", MemoryEstimate.readable(plan.rank().limit()));
  }

  /// What is assumed of data that are not read.
  private String sizes() {
    Shape input = plan.network().input();
    int classes = plan.network().output().channels();
    return input.channels() == 1 && input.width() == 1
        ? String.format(Locale.ROOT, "%,d tokens in windows of %,d", classes, input.height())
        : "images of %s, %d classes".formatted(input, classes);
  }

  private void memory(PrintWriter out) {
    Table table = new Table();
    table.row(
        "stages x replicas", "per rank", "state", "activations", "buckets", "other", "all", "fits");
    for (OnGrid each : plan.grids()) {
      memory(table, name(each.grid()), "unpruned", each.dense());
      memory(table, "", "pruned", each.pruned());
    }
    table.print(out);
    out.println();
  }

  private void memory(Table table, String grid, String form, MemoryEstimate memory) {
    long other = memory.bytes();
    Object[] cells = {grid, form, "", "", "", "", MemoryEstimate.readable(memory.bytes()), ""};
    String[] items = {StagePart.STATE, StagePart.ACTIVATIONS, StagePart.BUCKETS};
    for (int i = 0; i < items.length; i++) {
      long bytes = memory.bytes(items[i]);
      cells[2 + i] = MemoryEstimate.readable(bytes);
      other -= bytes;
    }
    cells[5] = MemoryEstimate.readable(other);
    cells[7] = memory.bytes() <= plan.rank().limit() ? "yes" : "no";
    table.row(cells);
  }

  private void seconds(PrintWriter out) {
    Table table = new Table();
    table.row(
        "stages x replicas",
        "per iteration",
        "computation",
        "bubble",
        "messages",
        "gradients",
        "seconds");
    for (OnGrid each : plan.grids()) {
      seconds(table, name(each.grid()), "unpruned", plan.dense(each, speed()));
      seconds(table, "", "pruned", plan.pruned(each, speed()));
    }
    table.print(out);
  }

  private void seconds(Table table, String grid, String form, IterationForecast forecast) {
    boolean counted = plan.rank().link() != null;
    table.row(
        grid,
        form,
        number(forecast.compute()),
        number(forecast.bubble()),
        counted ? number(forecast.messages()) : "-",
        counted ? number(forecast.gradients()) : "-",
        number(forecast.seconds()));
  }

  private static String number(double seconds) {
    return String.format(Locale.ROOT, seconds < 100 ? "%.4f" : "%,.0f", seconds);
  }

  private static String name(Grid grid) {
    return grid.inter() + " x " + grid.data();
  }

  private void advice(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "speed    %.0f %% of the %.1f GFLOP/s that products reach here with %d thread%s per rank%s%n",
        100 * IterationForecast.SHARE,
        peak / 1e9,
        plan.rank().threads(),
        plan.rank().threads() == 1 ? "" : "s",
        plan.rank().link() == null ? "; messages are not counted without --link" : "");
    OnGrid best = plan.recommended(speed());
    OnGrid later = plan.oncePruned(speed());
    out.printf("take     %s%n", best == null ? none() : "--inter " + reason(best));
    if (later != null && !later.equals(best)) {
      out.printf(
          "pruned   --inter %s; %s%n",
          reason(later),
          best == null
              ? "to begin there, prune at once: --prune one-shot, or --mask"
              : "--inter auto goes on there");
    }
    OnGrid hint = hint();
    if (hint != null) {
      out.printf(
          "hint     with --inter %d activations take %s of %s; --checkpoint-activations leaves %s of"
              + " them, for a third more computation%n",
          hint.grid().inter(),
          MemoryEstimate.readable(hint.activationBytes()),
          MemoryEstimate.readable(hint.prunedBytes()),
          MemoryEstimate.readable(hint.checkpointedBytes()));
    }
  }

  /// Why a grid is to be taken.
  private String reason(OnGrid best) {
    boolean fewest =
        plan.grids().stream()
            .filter(each -> each.prunedBytes() <= plan.rank().limit())
            .noneMatch(each -> each.grid().inter() < best.grid().inter());
    String why =
        plan.grids().size() == 1
            ? "the only grid"
            : fewest
                ? "the fewest stages that fit, and so the smallest bubble"
                : "the fastest that fits";
    return "%d: %s".formatted(best.grid().inter(), why);
  }

  private String none() {
    long least = plan.grids().stream().mapToLong(OnGrid::peakBytes).min().orElse(0);
    return "none: the least that a rank needs is %s; use more ranks, more memory or --checkpoint-activations"
        .formatted(MemoryEstimate.readable(least));
  }

  /// Where activations weigh most: on the grid that is to be taken, or on the first.
  private @Nullable OnGrid hint() {
    OnGrid best = plan.recommended(speed());
    OnGrid on = best == null ? plan.grids().getFirst() : best;
    return on.isMostlyActivations() ? on : null;
  }

  private ObjectNode json() {
    ObjectNode node = JsonOutput.object();
    node.put("data", plan.data());
    node.put("model", plan.network().name());
    node.put("input", plan.network().input().toString());
    node.put("classes", plan.network().output().channels());
    node.put("parameters", plan.network().parameters());
    node.put("sparsity", plan.sparsity());
    node.put("state_bytes_dense", plan.denseStateBytes());
    node.put("state_bytes_pruned", plan.prunedStateBytes());
    node.put("memory_per_rank", plan.rank().limit());
    node.put("threads_per_rank", plan.rank().threads());
    node.put("operations_per_second", speed().operations());
    node.put("messages_counted", plan.rank().link() != null);
    node.put("recommended_inter", inter(plan.recommended(speed())));
    node.put("recommended_inter_pruned", inter(plan.oncePruned(speed())));
    ArrayNode all = node.putArray("grids");
    for (OnGrid each : plan.grids()) {
      ObjectNode one = all.addObject();
      one.put("inter", each.grid().inter());
      one.put("data_parallel", each.grid().data());
      one.put("rank_bytes_dense", each.denseBytes());
      one.put("rank_bytes_pruned", each.prunedBytes());
      one.put("rank_bytes_peak", each.peakBytes());
      one.put("activation_bytes_checkpointed", each.checkpointedBytes());
      put(one.putObject("dense"), each.dense(), plan.dense(each, speed()));
      put(one.putObject("pruned"), each.pruned(), plan.pruned(each, speed()));
    }
    return node;
  }

  private static @Nullable Integer inter(@Nullable OnGrid on) {
    return on == null ? null : on.grid().inter();
  }

  private static void put(ObjectNode node, MemoryEstimate memory, IterationForecast forecast) {
    node.put("state_bytes", memory.bytes(StagePart.STATE));
    node.put("activation_bytes", memory.bytes(StagePart.ACTIVATIONS));
    node.put("bucket_bytes", memory.bytes(StagePart.BUCKETS));
    node.put("seconds", forecast.seconds());
    node.put("compute_seconds", forecast.compute());
    node.put("bubble_seconds", forecast.bubble());
    node.put("message_seconds", forecast.messages());
    node.put("gradient_seconds", forecast.gradients());
  }
}
