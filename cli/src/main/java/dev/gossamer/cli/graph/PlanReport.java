package dev.gossamer.cli.graph;

import dev.gossamer.PlannedScaling;
import dev.gossamer.PlannedStrategy;
import dev.gossamer.Planning;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.planner.RankTraffic;
import dev.gossamer.planner.RunCost;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Prints planned strategies as text, as a table and as JSON.
final class PlanReport {
  /// Phases that are shown, some of them together.
  private static final Map<String, List<Phase>> COLUMNS =
      Map.of(
          "aggregate", List.of(Phase.SPMM, Phase.ATTENTION),
          "matmul", List.of(Phase.MATMUL),
          "exchange", List.of(Phase.EXCHANGE, Phase.MAP),
          "reduce", List.of(Phase.REDUCE),
          "sample", List.of(Phase.SAMPLE),
          "fetch", List.of(Phase.FETCH),
          "other", List.of(Phase.OTHER));

  private static final List<String> ORDER =
      List.of("aggregate", "matmul", "exchange", "reduce", "sample", "fetch", "other");

  private PlanReport() {}

  /// A strategy in a few words.
  static String words(PlannedStrategy strategy) {
    List<String> words = new ArrayList<>();
    MinibatchSettings minibatches = strategy.minibatches();
    boolean several = strategy.place().ranks() > 1;
    if (minibatches == null) {
      words.add("whole graph");
      if (several) {
        ExchangeStrategy exchange = strategy.ranks().strategy();
        words.add(Choice.name(exchange.kind()));
        words.add("c=" + exchange.replication());
        words.add(strategy.placement());
        words.add(exchange.overlap() ? "overlap" : "no overlap");
      }
      return String.join(" ", words);
    }
    words.add("minibatches");
    words.add(minibatches.sampler().name());
    if (several) {
      if (minibatches.historical() != null) {
        words.add("historical");
      } else {
        words.add(Choice.name(minibatches.distribution().graph()));
        words.add("fetch");
      }
      words.add(strategy.placement());
      if (minibatches.cacheBytes() > 0) {
        words.add("cache " + MemoryEstimate.readable(minibatches.cacheBytes()));
      }
    }
    return String.join(" ", words);
  }

  static Table table(List<PlannedStrategy> strategies) {
    Table table = new Table();
    List<Object> head = new ArrayList<>(List.of("ranks", "strategy", "learns", "run s", "epoch s"));
    head.addAll(List.of("steps", "memory of a rank", "of a node", "MB", "messages"));
    head.addAll(ORDER);
    head.addAll(List.of("evaluation", "once"));
    table.row(head.toArray());
    for (PlannedStrategy strategy : strategies) {
      table.row(row(strategy));
    }
    return table;
  }

  private static Object[] row(PlannedStrategy strategy) {
    Optional<RunCost> run = strategy.cost();
    Optional<EpochCost> cost = run.map(RunCost::epoch);
    List<Object> cells = new ArrayList<>();
    cells.add(strategy.place().ranks());
    cells.add(words(strategy));
    cells.add(strategy.learning());
    cells.add(
        strategy.fits()
            ? run.map(r -> String.format(Locale.ROOT, "%,.2f", r.seconds())).orElse("-")
            : "does not fit");
    cells.add(cost.map(c -> seconds(c.seconds())).orElse("-"));
    cells.add(cost.map(c -> String.format(Locale.ROOT, "%,d", c.steps())).orElse("-"));
    cells.add(MemoryEstimate.readable(strategy.memory().ofRank().needed()));
    cells.add(MemoryEstimate.readable(strategy.memory().ofNode()));
    cells.add(
        cost.map(c -> String.format(Locale.ROOT, "%.3f", c.traffic().totalBytes() / 1e6))
            .orElse("-"));
    cells.add(
        cost.map(c -> String.format(Locale.ROOT, "%,d", c.traffic().totalMessages())).orElse("-"));
    for (String column : ORDER) {
      cells.add(cost.map(c -> seconds(seconds(c, column))).orElse("-"));
    }
    cells.add(run.map(r -> seconds(r.evaluation().seconds())).orElse("-"));
    cells.add(run.map(r -> seconds(r.once().seconds())).orElse("-"));
    return cells.toArray();
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.4f", seconds);
  }

  /// Returns the scaling as a table.
  static Table table(PlannedScaling scaling) {
    Table table = new Table();
    table.row("ranks", "nodes", "epoch s", "run s", "speed-up", "efficiency", "node-hours", "by");
    for (PlannedScaling.Row row : scaling.rows()) {
      PlannedStrategy strategy = row.strategy();
      table.row(
          strategy.place().ranks(),
          strategy.place().nodes(),
          seconds(strategy.seconds()),
          String.format(Locale.ROOT, "%,.2f", strategy.runSeconds()),
          String.format(Locale.ROOT, "%.2f", row.speedUp()),
          String.format(Locale.ROOT, "%.0f %%", 100 * row.efficiency()),
          String.format(Locale.ROOT, "%.4f", row.nodeHours()),
          words(strategy));
    }
    return table;
  }

  /// Seconds and bytes of a whole run.
  static String run(RunCost run) {
    return String.format(
        Locale.ROOT,
        "%,.2f s: %,d epochs %,.2f, %,d evaluations %,.2f, once %,.2f%s",
        run.seconds(),
        run.epochs(),
        run.epochs() * run.epoch().seconds(),
        run.evaluations(),
        run.evaluationSeconds(),
        run.once().seconds(),
        run.bytes() == 0
            ? ""
            : String.format(
                Locale.ROOT,
                "; %,.3f MB sent, %,.3f of it in evaluations and %,.3f once",
                run.bytes() / 1e6,
                run.evaluations() * run.evaluation().traffic().totalBytes() / 1e6,
                run.once().traffic().totalBytes() / 1e6));
  }

  /// Says from which number on more ranks are not worthwhile.
  static String worth(PlannedScaling scaling) {
    PlannedScaling.Row last = scaling.worthwhile();
    int next = scaling.rows().indexOf(last) + 1;
    int ranks = last.strategy().place().ranks();
    if (next == scaling.rows().size()) {
      return "up to %d ranks, the most that were planned".formatted(ranks);
    }
    PlannedScaling.Row more = scaling.rows().get(next);
    return String.format(
        Locale.ROOT,
        "up to %d %s: %d are %.2f times as fast as that",
        ranks,
        ranks == 1 ? "rank" : "ranks",
        more.strategy().place().ranks(),
        more.speedUp() / last.speedUp());
  }

  /// Writes the scaling as JSON.
  static void put(ArrayNode rows, PlannedScaling scaling) {
    for (PlannedScaling.Row row : scaling.rows()) {
      ObjectNode node = rows.addObject();
      node.put("ranks", row.strategy().place().ranks());
      node.put("nodes", row.strategy().place().nodes());
      node.put("epoch_seconds", row.strategy().seconds());
      node.put("run_seconds", row.strategy().runSeconds());
      node.put("speed_up", row.speedUp());
      node.put("efficiency", row.efficiency());
      node.put("node_hours", row.nodeHours());
    }
  }

  private static double seconds(EpochCost cost, String column) {
    return COLUMNS.getOrDefault(column, List.of()).stream().mapToDouble(cost::seconds).sum();
  }

  /// Describes a strategy line by line.
  static String text(PlannedStrategy strategy, MemoryOptions memory) {
    List<String> lines = new ArrayList<>();
    PlannedStrategy.Place place = strategy.place();
    lines.add(
        "plan     %d %s on %d %s, %d %s each: %s"
            .formatted(
                place.ranks(),
                place.ranks() == 1 ? "rank" : "ranks",
                place.nodes(),
                place.nodes() == 1 ? "node" : "nodes",
                place.threads(),
                place.threads() == 1 ? "thread" : "threads",
                words(strategy)));
    lines.add(
        "memory   %s on a node%s: %s"
            .formatted(
                MemoryEstimate.readable(strategy.memory().ofNode()),
                strategy.fits()
                    ? ""
                    : ", of which there are %s: does not fit"
                        .formatted(MemoryEstimate.readable(strategy.memory().limit())),
                "a rank alone takes " + memory.parts(strategy.memory().ofRank())));
    strategy
        .cost()
        .ifPresent(run -> {
          EpochCost cost = run.epoch();
          RankTraffic traffic = cost.traffic();
          lines.add(
              String.format(
                  Locale.ROOT,
                  "traffic  %s%,d bytes in %,d messages per epoch; most of one rank %,d bytes out, %,d in",
                  count(cost),
                  traffic.totalBytes(),
                  traffic.totalMessages(),
                  largest(traffic.bytesSent()),
                  largest(traffic.bytesReceived())));
          lines.add("epoch    " + epoch(cost));
          lines.add("run      " + run(run));
        });
    return String.join(System.lineSeparator(), lines);
  }

  /// Returns seconds per epoch, by phase.
  static String epoch(EpochCost cost) {
    return String.format(
        Locale.ROOT,
        "%.4f s of %,d %s: %s",
        cost.seconds(),
        cost.steps(),
        cost.steps() == 1 ? "step" : "steps",
        ORDER.stream()
            .map(column -> String.format(Locale.ROOT, "%s %.4f", column, seconds(cost, column)))
            .collect(Collectors.joining(", ")));
  }

  /// Returns planned and measured seconds per epoch.
  static String beside(EpochCost cost, double measured) {
    return String.format(
        Locale.ROOT, "%.4f s, %.2f times the median", cost.seconds(), cost.seconds() / measured);
  }

  private static String count(EpochCost cost) {
    return switch (cost.count()) {
      case EXACT -> "";
      case DRAWN ->
          String.format(Locale.ROOT, "about (of %.1f %% of the batches) ", 100 * cost.drawn());
      case AT_MOST -> "at most ";
      case AT_LEAST -> "at least ";
    };
  }

  private static long largest(List<Long> numbers) {
    return numbers.stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /// Returns the strategy that the recommended one is compared with: a faster one or, if there is
  /// none, the next that would be recommended.
  ///
  /// @param strategies at least two, the fastest first
  static PlannedStrategy other(List<PlannedStrategy> strategies, PlannedStrategy best) {
    if (isFaster(strategies.getFirst(), best)) {
      return strategies.getFirst();
    }
    List<PlannedStrategy> rest = new ArrayList<>(strategies);
    rest.remove(best);
    return Planning.recommended(rest);
  }

  static boolean isFaster(PlannedStrategy one, PlannedStrategy other) {
    return one.runSeconds() < other.runSeconds();
  }

  /// Explains why one strategy is better than another.
  static String reason(PlannedStrategy best, PlannedStrategy other) {
    if (!other.fits()) {
      return "it fits, and nothing else does";
    }
    RunCost first = best.cost().orElseThrow();
    RunCost second = other.cost().orElseThrow();
    double saved = second.seconds() - first.seconds();
    if (saved < 0) {
      return String.format(
          Locale.ROOT,
          "it is simpler, and the fastest saves %.0f %%, but plans are accurate only to about a tenth",
          -100 * saved / first.seconds());
    }
    if (saved == 0) {
      return best.memory().ofNode() < other.memory().ofNode()
          ? "it is as fast in less memory"
          : "it is as fast, and no other is simpler";
    }
    Map<String, Double> before = parts(second);
    Map<String, Double> now = parts(first);
    String part =
        before.keySet().stream()
            .max(Comparator.comparingDouble(p -> of(before, p) - of(now, p)))
            .orElseThrow();
    return String.format(
        Locale.ROOT,
        "it saves %.2f s of the run (%.1f %%), most of it in %s: %.2f s instead of %.2f",
        saved,
        100 * saved / second.seconds(),
        part,
        of(now, part),
        of(before, part));
  }

  /// Seconds of a run by what takes them.
  private static Map<String, Double> parts(RunCost run) {
    Map<String, Double> parts = new LinkedHashMap<>();
    ORDER.forEach(column -> parts.put(column, run.epochs() * seconds(run.epoch(), column)));
    parts.put("evaluations", run.evaluationSeconds());
    parts.put("what happens once", run.once().seconds());
    return parts;
  }

  private static double of(Map<String, Double> parts, String part) {
    return parts.getOrDefault(part, 0.0);
  }

  /// Writes a strategy as JSON.
  ///
  /// @param command that runs it; null if there is none to print
  static void put(ObjectNode node, PlannedStrategy strategy, @Nullable String command) {
    PlannedStrategy.Place place = strategy.place();
    node.put("ranks", place.ranks());
    node.put("nodes", place.nodes());
    node.put("ranks_per_node", place.ranksOfNode());
    node.put("threads", place.threads());
    node.put("mode", strategy.minibatches() == null ? "full-graph" : "minibatch");
    node.put("learning", strategy.learning().toString());
    node.put("placement", strategy.placement());
    MinibatchSettings minibatches = strategy.minibatches();
    if (minibatches == null) {
      ExchangeStrategy exchange = strategy.ranks().strategy();
      node.put("exchange", Choice.name(exchange.kind()));
      node.put("replication", exchange.replication());
      node.put("overlap", exchange.overlap());
    } else {
      node.put("sampler", minibatches.sampler().name());
      node.put("batch", minibatches.batchSize());
      node.put("graph", Choice.name(minibatches.distribution().graph()));
      node.put("own_batches", minibatches.ownBatches());
      node.put("remote", minibatches.historical() == null ? "fetch" : "historical");
      node.put("feature_cache_bytes", minibatches.cacheBytes());
    }
    node.put("fits", strategy.fits());
    node.put("memory_of_rank_bytes", strategy.memory().ofRank().needed());
    node.put("memory_of_node_bytes", strategy.memory().ofNode());
    node.put("memory_limit_bytes", strategy.memory().limit());
    strategy.cost().ifPresent(run -> put(node, run));
    if (command != null) {
      node.put("command", command);
    }
  }

  private static void put(ObjectNode node, RunCost run) {
    put(node, run.epoch());
    node.put("evaluation_seconds", run.evaluation().seconds());
    node.put("bytes_per_evaluation", run.evaluation().traffic().totalBytes());
    node.put("once_seconds", run.once().seconds());
    node.put("bytes_once", run.once().traffic().totalBytes());
    node.put("epochs", run.epochs());
    node.put("evaluations", run.evaluations());
    node.put("run_seconds", run.seconds());
    node.put("bytes_of_run", run.bytes());
  }

  /// Writes the cost of an epoch as JSON.
  static void put(ObjectNode node, EpochCost cost) {
    node.put("steps", cost.steps());
    node.put("epoch_seconds", cost.seconds());
    ObjectNode phases = node.putObject("phase_seconds");
    for (Phase phase : Phase.values()) {
      phases.put(phase.label(), cost.seconds(phase));
    }
    node.put("count", Choice.name(cost.count()));
    node.put("drawn_share", cost.drawn());
    RankTraffic traffic = cost.traffic();
    node.put("bytes_per_epoch", traffic.totalBytes());
    node.put("messages_per_epoch", traffic.totalMessages());
    node.put("most_bytes_sent", largest(traffic.bytesSent()));
    node.put("most_bytes_received", largest(traffic.bytesReceived()));
  }
}
