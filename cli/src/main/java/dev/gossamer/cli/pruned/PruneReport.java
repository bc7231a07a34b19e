package dev.gossamer.cli.pruned;

import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ReportPart;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.PrunedResult;
import dev.gossamer.pruned.RunPlan;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import dev.gossamer.pruned.pipeline.RunSummary;
import dev.gossamer.pruned.pipeline.RunSummary.Iterations;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.pipeline.StagePhase;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemCores;
import dev.gossamer.run.memory.SystemMemory;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// The output of `prune train`: the plan before the first iteration, the result after the last.
///
/// @param link the imitated network as the user gave it, or null
/// @param memory details of the memory estimate
record PruneReport(
    RunPlan plan, @Nullable String link, MemoryOptions memory, CommonOptions common) {

  /// How fast the run was in the end.
  ///
  /// @param share of the cores' peak rate, in percent
  private record Speed(Iterations last, double share) {}

  private int inter() {
    return plan.grid().inter();
  }

  private NumberFormat format() {
    return plan.state().format();
  }

  /// Prints data, model, grid and memory to standard error.
  void begin(PrintWriter err) {
    if (common.quiet) {
      return;
    }
    err.printf("data     %s%n", plan.data().description());
    err.printf(
        Locale.ROOT,
        "model    %s  %,d parameters in %s%n",
        plan.network().name(),
        plan.network().parameters(),
        Choice.name(format()));
    grid(err);
    MemoryEstimate estimate = plan.rank().memory();
    err.printf(
        "memory   %s per rank estimated: %s%n",
        MemoryEstimate.readable(estimate.bytes()), memory.parts(estimate));
    err.flush();
  }

  /// Prints the grid on which the run continues.
  ///
  /// @param done iterations
  void move(PrintWriter err, int done) {
    if (!common.quiet) {
      err.printf(
          Locale.ROOT,
          "pruned   before iteration %d; the run continues with fewer stages%n",
          done + 1);
      grid(err);
      err.flush();
    }
  }

  private void grid(PrintWriter err) {
    PipelineSettings settings = plan.settings();
    err.printf(
        "grid     %d stages x %d replicas; batch %d, %d microbatches of %d per replica%n",
        inter(),
        plan.grid().data(),
        settings.batch(),
        settings.microbatches(),
        settings.microbatch());
    err.printf(
        "stages   %s%n",
        plan.stages().stream()
            .map(part ->
                String.format(
                    Locale.ROOT,
                    "%d blocks (%.1f GFLOP)",
                    part.blocks().size(),
                    part.operations() / 1e9))
            .collect(Collectors.joining(", ")));
  }

  /// What is reported.
  ///
  /// @param run with its model
  /// @param whole run of the whole network, for comparison; null if there was none
  /// @param parts of the run that flags ask for
  record Runs(PrunedResult run, @Nullable PrunedResult whole, List<ReportPart> parts) {
    /// Copies the list.
    Runs {
      parts = List.copyOf(parts);
    }
  }

  /// Prints the result to standard output: a table, or one JSON object.
  ///
  /// @param peak rate of matrix products of a rank, in floating-point operations per second
  void end(PrintWriter out, Runs runs, double peak) {
    PrunedResult run = runs.run;
    PrunedResult whole = runs.whole;
    RunSummary summary = Objects.requireNonNull(run.summary());
    Iterations last = summary.last();
    Speed speed = last == null ? null : new Speed(last, percentOf(peak, last, run));
    if (common.json) {
      ObjectNode node = json(run, summary, speed);
      if (whole != null) {
        compare(node.putObject("whole_network"), whole);
      }
      runs.parts.forEach(part -> part.put(node.putObject(part.key())));
      out.println(JsonOutput.line(node));
      out.flush();
      return;
    }
    Score score = run.result().validation();
    if (score != null) {
      out.printf(
          Locale.ROOT,
          "validation  loss %.4f  %s  over %,d predictions%n%n",
          score.loss(),
          quality(score),
          score.labels());
    }
    if (speed == null) {
      out.printf("all %d iterations were done before%n", run.result().iterations());
    } else {
      table(summary).print(out);
    }
    print(out, summary, speed);
    out.printf("run      %s%n", plan.folder());
    if (whole != null) {
      compare(out, run, whole);
    }
    if (!runs.parts.isEmpty()) {
      out.println();
    }
    runs.parts.forEach(part -> part.print(out));
    out.flush();
  }

  /// What pruning costs and saves, beside the whole network.
  private static void compare(PrintWriter out, PrunedResult run, PrunedResult whole) {
    Score score = Objects.requireNonNull(run.result().validation());
    Score other = Objects.requireNonNull(whole.result().validation());
    RunSummary summary = Objects.requireNonNull(run.summary());
    RunSummary dense = Objects.requireNonNull(whole.summary());
    int iterations = run.result().iterations();
    int others = whole.result().iterations();
    out.printf(
        Locale.ROOT,
        "%ncompared with the unpruned network, trained for %s%nloss     %+.1f %% (%.4f, unpruned %.4f)%n",
        iterations == others
            ? "the same number of iterations"
            : "%d iterations, unpruned %d".formatted(iterations, others),
        100 * (score.loss() / other.loss() - 1),
        score.loss(),
        other.loss());
    if (summary.last() != null && dense.last() != null) {
      out.printf(
          Locale.ROOT,
          "speed    %.1f times as fast (%.4f s per iteration, unpruned %.4f)%n",
          dense.last().seconds() / summary.last().seconds(),
          summary.last().seconds(),
          dense.last().seconds());
    }
    out.printf(
        Locale.ROOT,
        "memory   %s for parameters and optimizer, %.0f %% of the unpruned network's %s%n",
        MemoryEstimate.readable(summary.state().allocated()),
        100.0 * summary.state().allocated() / dense.state().allocated(),
        MemoryEstimate.readable(dense.state().allocated()));
  }

  private static void compare(ObjectNode node, PrunedResult whole) {
    RunSummary summary = Objects.requireNonNull(whole.summary());
    node.put("iterations", whole.result().iterations());
    put(node, "validation", Objects.requireNonNull(whole.result().validation()));
    if (summary.last() != null) {
      node.put("iteration_seconds_median", summary.last().seconds());
    }
    node.put("state_bytes", summary.state().allocated());
  }

  /// Operations per second, as a share of what the threads of a rank multiply at most on matrices
  /// that fit the caches, times the cores that the ranks have.
  private double percentOf(double peak, Iterations last, PrunedResult run) {
    int threads = plan.rank().threads();
    int cores = Math.min(plan.grid().ranks(), Math.max(1, SystemCores.online() / threads));
    DenseArchitecture whole = plan.architecture();
    DenseArchitecture left = run.model() == null ? whole : run.model().architecture();
    double operations = plan.operations() * left.operations() / whole.operations();
    return 100 * operations / last.seconds() / (peak * cores);
  }

  private String quality(Score score) {
    return plan.data().labelsPerSample() > 1
        ? String.format(Locale.ROOT, "perplexity %.2f", score.perplexity())
        : String.format(Locale.ROOT, "accuracy %.4f", score.accuracy());
  }

  private static Table table(RunSummary summary) {
    Table table = new Table();
    table.row("per iteration", "dense", "pruned");
    row(table, "seconds", summary, Iterations::seconds, "%.4f");
    for (StagePhase phase : StagePhase.values()) {
      row(table, "  " + phase.label(), summary, i -> i.phases().getOrDefault(phase, 0.0), "%.4f");
    }
    row(table, "gradient bytes", summary, Iterations::gradientBytes, "%,.0f");
    row(table, "activation bytes", summary, Iterations::activationBytes, "%,.0f");
    return table;
  }

  private static void row(
      Table table,
      String name,
      RunSummary summary,
      ToDoubleFunction<Iterations> value,
      String format) {
    table.row(name, cell(summary.dense(), value, format), cell(summary.pruned(), value, format));
  }

  private static String cell(
      @Nullable Iterations iterations, ToDoubleFunction<Iterations> value, String format) {
    return iterations == null
        ? "-"
        : String.format(Locale.ROOT, format, value.applyAsDouble(iterations));
  }

  private void print(PrintWriter out, RunSummary summary, @Nullable Speed speed) {
    out.println();
    RunSummary.Ticket ticket = summary.ticket();
    if (ticket != null) {
      out.printf(
          Locale.ROOT,
          "pruned   before iteration %d%s: %,d of %,d parameters survive (%.2f %% pruned)%n",
          ticket.iteration(),
          ticket.stable() ? ", when the mask had stabilised" : "",
          summary.kept(),
          summary.parameters(),
          100 * summary.sparsity());
    }
    out.printf(
        Locale.ROOT,
        "state    %s allocated, %s by the formula, %s unpruned%n",
        MemoryEstimate.readable(summary.state().allocated()),
        MemoryEstimate.readable(summary.state().formula()),
        MemoryEstimate.readable(plan.state().denseBytes(summary.parameters())));
    if (speed != null && inter() > 1) {
      out.printf(
          Locale.ROOT,
          "bubble   %.4f s per iteration, %.4f s by (t_f + t_b) (1 - 1/%d)%n",
          speed.last().bubbleSeconds(),
          speed.last().bubbleFormula(inter()),
          inter());
    }
    if (speed != null) {
      out.printf(
          Locale.ROOT,
          "speed    %.1f %% of the cores' peak rate of matrix products%n",
          speed.share());
    }
    out.printf("memory   %s peak resident%n", MemoryEstimate.readable(SystemMemory.peakResident()));
    if (link != null) {
      out.printf("         over a simulated network of %s%n", link);
    }
  }

  private ObjectNode json(PrunedResult run, RunSummary summary, @Nullable Speed speed) {
    RunSummary.Ticket ticket = summary.ticket();
    ObjectNode node = JsonOutput.object();
    node.put("data", plan.data().name());
    node.put("model", plan.network().name());
    node.put("precision", Choice.name(format()));
    node.put("activations", Choice.name(plan.state().activations()));
    node.put("inter", inter());
    List<IterationRecord> records = run.result().records();
    node.put("inter_at_first", records.isEmpty() ? inter() : records.getFirst().grid().inter());
    node.put("data_parallel", plan.grid().data());
    node.put("parameters", summary.parameters());
    node.put("kept", summary.kept());
    node.put("sparsity", summary.sparsity());
    node.put("pruned_before_iteration", ticket == null ? 0 : ticket.iteration());
    node.put("ticket_at_rest", ticket != null && ticket.stable());
    node.put("state_bytes", summary.state().allocated());
    node.put("state_bytes_formula", summary.state().formula());
    node.put("state_bytes_dense", plan.state().denseBytes(summary.parameters()));
    node.put("state_bytes_of_rank", summary.state().ofRank());
    node.put("iterations", run.result().iterations());
    if (run.result().validation() != null) {
      put(node, "validation", run.result().validation());
    }
    if (speed != null) {
      node.put("iteration_seconds_median", speed.last().seconds());
      node.put("percent_of_peak", speed.share());
    }
    if (summary.dense() != null) {
      put(node.putObject("dense_iterations"), summary.dense());
    }
    if (summary.pruned() != null) {
      put(node.putObject("pruned_iterations"), summary.pruned());
    }
    node.put("peak_resident_bytes", SystemMemory.peakResident());
    node.put("estimated_bytes_of_rank", plan.rank().memory().bytes());
    if (link != null) {
      node.put("imitated_link", link);
    }
    node.put("run", String.valueOf(plan.folder()));
    return node;
  }

  /// Writes a score as fields of a JSON object.
  ///
  /// @param part prefix of the names of the fields
  static void put(ObjectNode node, String part, Score score) {
    node.put(part + "_loss", score.loss());
    node.put(part + "_accuracy", score.accuracy());
    node.put(part + "_perplexity", finite(score.perplexity()));
    node.put(part + "_predictions", score.labels());
    if (score.text() != null) {
      node.put(part + "_bits_per_byte", score.bitsPerByte());
      node.put(part + "_word_perplexity", finite(score.wordPerplexity()));
    }
  }

  /// JSON has no infinite numbers: they are written like those that cannot be computed.
  private static double finite(double number) {
    return Double.isFinite(number) ? number : Double.NaN;
  }

  private void put(ObjectNode node, Iterations iterations) {
    node.put("count", iterations.count());
    node.put("seconds_median", iterations.seconds());
    ObjectNode phases = node.putObject("phase_seconds");
    iterations.phases().forEach((phase, seconds) -> phases.put(phase.label(), seconds));
    node.put("forward_seconds", iterations.forwardSeconds());
    node.put("backward_seconds", iterations.backwardSeconds());
    node.put("bubble_seconds", iterations.bubbleSeconds());
    node.put("bubble_seconds_formula", iterations.bubbleFormula(inter()));
    node.put("gradient_bytes", iterations.gradientBytes());
    node.put("activation_bytes", iterations.activationBytes());
  }
}
