package dev.gossamer.cli.pruned;

import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.pruned.PlannedRun;
import dev.gossamer.pruned.PlannedRun.Iterations;
import dev.gossamer.pruned.PrunedPlan;
import dev.gossamer.pruned.RankPlace;
import dev.gossamer.pruned.layers.Shape;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.IterationTraffic;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// Prints planned runs of a pruned network as text, as a table and as JSON.
final class PrunePlanReport {
  private PrunePlanReport() {}

  /// Describes data and network.
  static void network(PrunedPlan plan, PrintWriter out) {
    out.printf("data     %s%n", plan.data() == null ? "none is read: " + sizes(plan) : plan.data());
    out.printf(
        Locale.ROOT,
        "model    %s  %,d parameters in %s, %.0f %% pruned%n",
        plan.network().name(),
        plan.network().parameters(),
        Choice.name(plan.format()),
        100 * plan.sparsity());
  }

  /// What is assumed of data that are not read.
  private static String sizes(PrunedPlan plan) {
    Shape input = plan.network().input();
    int classes = plan.network().output().channels();
    return input.channels() == 1 && input.width() == 1
        ? String.format(Locale.ROOT, "%,d tokens in windows of %,d", classes, input.height())
        : "images of %s, %d classes".formatted(input, classes);
  }

  /// Describes a run in a few words.
  static String words(PlannedRun run) {
    return "%d %s x %d %s %s"
        .formatted(
            run.grid().inter(),
            run.grid().inter() == 1 ? "stage" : "stages",
            run.grid().data(),
            run.grid().data() == 1 ? "replica" : "replicas",
            Choice.name(run.compute()));
  }

  /// Describes a run in a sentence.
  static String named(PlannedRun run) {
    return String.format(
        Locale.ROOT,
        "%s, %s: %s s per iteration",
        ranks(run.place()),
        words(run),
        seconds(run.seconds()));
  }

  private static String ranks(RankPlace place) {
    return "%d %s".formatted(place.ranks(), place.ranks() == 1 ? "rank" : "ranks");
  }

  static Table table(List<PlannedRun> runs) {
    Table table = new Table();
    List<Object> head = new ArrayList<>(List.of("ranks", "strategy", "iteration s"));
    head.addAll(List.of("memory of a rank", "of a node", "MB", "messages"));
    head.addAll(runs.getFirst().last().seconds().byPhase().keySet());
    table.row(head.toArray());
    for (PlannedRun run : runs) {
      IterationTraffic traffic = run.last().traffic();
      List<Object> cells = new ArrayList<>(List.of(run.place().ranks(), words(run)));
      cells.add(run.fits() ? seconds(run.seconds()) : "does not fit");
      cells.add(MemoryEstimate.readable(run.peakBytes()));
      cells.add(MemoryEstimate.readable(ofNode(run)));
      cells.add(String.format(Locale.ROOT, "%.3f", traffic.bytes() / 1e6));
      cells.add(String.format(Locale.ROOT, "%,d", traffic.messages()));
      run.last().seconds().byPhase().values().forEach(each -> cells.add(seconds(each)));
      table.row(cells.toArray());
    }
    return table;
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, seconds < 100 ? "%.4f" : "%,.0f", seconds);
  }

  private static long ofNode(PlannedRun run) {
    return run.place().ranksOfNode() * run.peakBytes();
  }

  private static long limitOfNode(PlannedRun run) {
    long ranks = run.place().ranksOfNode();
    return run.place().memory() > Long.MAX_VALUE / ranks
        ? Long.MAX_VALUE
        : ranks * run.place().memory();
  }

  /// Describes a run line by line.
  static void print(PlannedRun run, PrintWriter out) {
    RankPlace place = run.place();
    out.printf(
        "plan     %s on %d %s, %d %s each: %s%n",
        ranks(place),
        place.nodes(),
        place.nodes() == 1 ? "node" : "nodes",
        place.threads(),
        place.threads() == 1 ? "thread" : "threads",
        words(run));
    out.printf(
        "memory   %s per rank, of %s%s%n",
        MemoryEstimate.readable(run.peakBytes()),
        MemoryEstimate.readable(place.memory()),
        run.fits() ? "" : ": does not fit");
    if (run.stateBytes().last() == run.stateBytes().unpruned()) {
      print("", run.last(), run.exact(), out);
    } else {
      print("unpruned ", run.unpruned(), true, out);
      print("pruned   ", run.last(), run.exact(), out);
    }
  }

  /// What iterations take.
  ///
  /// @param form of the network
  private static void print(String form, Iterations iterations, boolean exact, PrintWriter out) {
    IterationTraffic traffic = iterations.traffic();
    IterationForecast forecast = iterations.seconds();
    out.printf(
        "%srank     %s%n",
        form,
        iterations.memory().items().stream()
            .filter(item -> item.bytes() > 0)
            .map(item -> item.name() + " " + MemoryEstimate.readable(item.bytes()))
            .collect(Collectors.joining(", ")));
    out.printf(
        Locale.ROOT,
        "%straffic  %s%,d bytes in %,d messages per iteration: activations %,d, gradients %,d; most of one rank %,d bytes out, %,d in%n",
        form,
        exact ? "" : "about ",
        traffic.bytes(),
        traffic.messages(),
        traffic.activationBytes(),
        traffic.gradientBytes(),
        traffic.mostSent(),
        traffic.mostReceived());
    out.printf(
        "%sseconds  %s per iteration: %s%n",
        form,
        seconds(forecast.seconds()),
        forecast.byPhase().entrySet().stream()
            .map(phase -> phase.getKey() + " " + seconds(phase.getValue()))
            .collect(Collectors.joining(", ")));
  }

  /// Gives a hint if activations need most of the memory.
  static void hint(PlannedRun run, PrintWriter out) {
    if (run.isMostlyActivations()) {
      out.printf(
          "hint     activations take %s of the %s that a rank ends with; --checkpoint-activations leaves %s of"
              + " them, for a third more computation%n",
          MemoryEstimate.readable(run.activationBytes()),
          MemoryEstimate.readable(run.last().memory().bytes()),
          MemoryEstimate.readable(run.checkpointedBytes()));
    }
  }

  /// Explains why one run is better than another.
  static String reason(PlannedRun best, PlannedRun other) {
    if (!other.fits()) {
      return "it fits, and nothing else does";
    }
    double saved = other.seconds() - best.seconds();
    if (saved <= 0) {
      return best.last().memory().bytes() < other.last().memory().bytes()
          ? "it is as fast in less memory"
          : "it is as fast in no more memory, on no more ranks";
    }
    Map<String, Double> first = best.last().seconds().byPhase();
    Map<String, Double> second = other.last().seconds().byPhase();
    String phase =
        first.keySet().stream()
            .max(Comparator.comparingDouble(each -> of(second, each) - of(first, each)))
            .orElseThrow();
    return String.format(
        Locale.ROOT,
        "it saves %s s (%.1f %%), most of it in %s: %s s instead of %s",
        seconds(saved),
        100 * saved / other.seconds(),
        phase,
        seconds(of(first, phase)),
        seconds(of(second, phase)));
  }

  private static double of(Map<String, Double> phases, String phase) {
    return phases.getOrDefault(phase, 0.0);
  }

  /// Writes data and network as JSON.
  static void put(ObjectNode node, PrunedPlan plan) {
    node.put("data", plan.data());
    node.put("model", plan.network().name());
    node.put("input", plan.network().input().toString());
    node.put("classes", plan.network().output().channels());
    node.put("parameters", plan.network().parameters());
    node.put("precision", Choice.name(plan.format()));
    node.put("sparsity", plan.sparsity());
  }

  /// Writes a run as JSON.
  ///
  /// @param command that runs it; null if there is none to print
  static void put(ObjectNode node, PlannedRun run, @Nullable String command) {
    RankPlace place = run.place();
    node.put("ranks", place.ranks());
    node.put("nodes", place.nodes());
    node.put("ranks_per_node", place.ranksOfNode());
    node.put("threads", place.threads());
    node.put("inter", run.grid().inter());
    node.put("data_parallel", run.grid().data());
    node.put("compute", Choice.name(run.compute()));
    node.put("fits", run.fits());
    node.put("fits_once_pruned", run.fitsInTheEnd());
    node.put("memory_of_rank_bytes", run.peakBytes());
    node.put("memory_of_node_bytes", ofNode(run));
    node.put("memory_limit_bytes", limitOfNode(run));
    node.put("state_bytes_dense", run.stateBytes().unpruned());
    node.put("state_bytes_pruned", run.stateBytes().last());
    node.put("activation_bytes_checkpointed", run.checkpointedBytes());
    node.put("count", run.exact() ? "exact" : "estimated");
    put(node, run.last());
    put(node.putObject("unpruned"), run.unpruned());
    if (command != null) {
      node.put("command", command);
    }
  }

  private static void put(ObjectNode node, Iterations iterations) {
    MemoryEstimate memory = iterations.memory();
    node.put("rank_bytes", memory.bytes());
    node.put("state_bytes", memory.bytes(StagePart.STATE));
    node.put("activation_memory_bytes", memory.bytes(StagePart.ACTIVATIONS));
    node.put("bucket_bytes", memory.bytes(StagePart.BUCKETS));
    node.put("iteration_seconds", iterations.seconds().seconds());
    ObjectNode seconds = node.putObject("phase_seconds");
    iterations.seconds().byPhase().forEach(seconds::put);
    IterationTraffic traffic = iterations.traffic();
    node.put("bytes_per_iteration", traffic.bytes());
    node.put("messages_per_iteration", traffic.messages());
    node.put("activation_bytes", traffic.activationBytes());
    node.put("gradient_bytes", traffic.gradientBytes());
    node.put("most_bytes_sent", traffic.mostSent());
    node.put("most_bytes_received", traffic.mostReceived());
  }
}
