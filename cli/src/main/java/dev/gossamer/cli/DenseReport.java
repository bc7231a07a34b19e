package dev.gossamer.cli;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.pruned.pipeline.DenseTraining;
import dev.gossamer.pruned.pipeline.Grid;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import dev.gossamer.pruned.pipeline.RunSummary;
import dev.gossamer.pruned.pipeline.RunSummary.Iterations;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.pipeline.StagePhase;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemMemory;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// What `train-dense` says: the plan before the first iteration, the result after the last.
///
/// @param parts stages of the network
/// @param estimate memory of the rank that needs most
record DenseReport(
    Corpus corpus,
    List<StagePart> parts,
    MemoryEstimate estimate,
    @Nullable String link,
    RunFolder folder,
    CommonOptions common) {
  private static final JsonMapper JSON = new JsonMapper();

  DenseReport {
    parts = List.copyOf(parts);
  }

  /// What is known at the end.
  ///
  /// @param ticket iteration before which the network was pruned last; -1 for never
  /// @param atRest whether an early-bird ticket was drawn because its mask had come to rest
  /// @param peakPercent of what this machine's cores multiply at most
  record Outcome(
      DenseTraining.Result result,
      RunSummary summary,
      int ticket,
      boolean atRest,
      double peakPercent) {}

  private DenseNetwork network() {
    return parts.getFirst().network();
  }

  private PipelineSettings settings() {
    return parts.getFirst().settings();
  }

  private Grid grid() {
    return settings().grid();
  }

  private NumberFormat format() {
    return parts.getFirst().stateSettings().format();
  }

  /// Data, model, grid and memory, to standard error.
  void begin(PrintWriter err) {
    if (common.quiet) {
      return;
    }
    err.printf("data     %s%n", corpus.description());
    err.printf(
        Locale.ROOT,
        "model    %s  %,d parameters in %s%n",
        network().name(),
        network().parameters(),
        Choice.name(format()));
    err.printf(
        "grid     %d stages x %d replicas; batch %d, %d microbatches of %d a replica%n",
        grid().inter(),
        grid().data(),
        settings().batch(),
        settings().microbatches(),
        settings().microbatch());
    err.printf(
        "stages   %s%n",
        parts.stream()
            .map(part ->
                String.format(
                    Locale.ROOT,
                    "%d blocks (%.1f GFLOP)",
                    part.blocks().size(),
                    part.operations() / 1e9))
            .collect(Collectors.joining(", ")));
    err.printf(
        "memory   %s a rank estimated: %s%n",
        MemoryEstimate.readable(estimate.bytes()),
        estimate.items().stream()
            .map(i -> i.name() + " " + MemoryEstimate.readable(i.bytes()))
            .collect(Collectors.joining(", ")));
    err.flush();
  }

  /// The result, to standard output: a table, or one JSON object.
  void end(PrintWriter out, Outcome outcome) {
    if (common.json) {
      out.println(JSON.writeValueAsString(json(outcome)));
      out.flush();
      return;
    }
    RunSummary summary = outcome.summary();
    Score score = outcome.result().validation();
    if (score != null) {
      out.printf(
          Locale.ROOT,
          "validation  loss %.4f  %s  over %,d predictions%n%n",
          score.loss(),
          quality(score),
          score.labels());
    }
    table(summary).print(out);
    print(out, outcome);
    out.printf("run      %s%n", folder.path());
    out.flush();
  }

  private String quality(Score score) {
    return corpus.labelsPerSample() > 1
        ? String.format(Locale.ROOT, "perplexity %.2f", score.perplexity())
        : String.format(Locale.ROOT, "accuracy %.4f", score.accuracy());
  }

  private static Table table(RunSummary summary) {
    Table table = new Table();
    table.row("an iteration", "dense", "pruned");
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

  private void print(PrintWriter out, Outcome outcome) {
    RunSummary summary = outcome.summary();
    out.println();
    if (outcome.ticket() >= 0) {
      out.printf(
          Locale.ROOT,
          "pruned   before iteration %d%s: %,d of %,d parameters survive (%.2f %% pruned)%n",
          outcome.ticket() + 1,
          outcome.atRest() ? ", when the mask had come to rest" : "",
          summary.kept(),
          summary.parameters(),
          100 * summary.sparsity());
    }
    out.printf(
        Locale.ROOT,
        "state    %s allocated, %s by the formula, %s if all were kept%n",
        MemoryEstimate.readable(summary.stateBytes()),
        MemoryEstimate.readable(summary.stateBytesFormula()),
        MemoryEstimate.readable(parts.getFirst().stateSettings().denseBytes(summary.parameters())));
    if (grid().inter() > 1) {
      Iterations last = summary.last();
      out.printf(
          Locale.ROOT,
          "bubble   %.4f s an iteration, %.4f s by (t_f + t_b) (1 - 1/%d)%n",
          last.bubbleSeconds(),
          last.bubbleFormula(grid().inter()),
          grid().inter());
    }
    out.printf(
        Locale.ROOT,
        "speed    %.1f %% of what the cores multiply at most%n",
        outcome.peakPercent());
    out.printf("memory   %s peak resident%n", MemoryEstimate.readable(SystemMemory.peakResident()));
    if (link != null) {
      out.printf("         over an imitated network of %s%n", link);
    }
  }

  private ObjectNode json(Outcome outcome) {
    RunSummary summary = outcome.summary();
    ObjectNode node = JSON.createObjectNode();
    node.put("data", corpus.name());
    node.put("model", network().name());
    node.put("precision", Choice.name(format()));
    node.put("inter", grid().inter());
    node.put("data_parallel", grid().data());
    node.put("parameters", summary.parameters());
    node.put("kept", summary.kept());
    node.put("sparsity", summary.sparsity());
    node.put("pruned_before_iteration", outcome.ticket() < 0 ? 0 : outcome.ticket() + 1);
    node.put("ticket_at_rest", outcome.atRest());
    node.put("state_bytes", summary.stateBytes());
    node.put("state_bytes_formula", summary.stateBytesFormula());
    node.put(
        "state_bytes_dense", parts.getFirst().stateSettings().denseBytes(summary.parameters()));
    node.put("state_bytes_of_rank", summary.stateBytesOfRank());
    node.put("iterations", outcome.result().iterations());
    Score score = outcome.result().validation();
    if (score != null) {
      put(node, "validation", score);
    }
    node.put("iteration_seconds_median", summary.last().seconds());
    node.put("percent_of_peak", outcome.peakPercent());
    if (summary.dense() != null) {
      put(node.putObject("dense_iterations"), summary.dense());
    }
    if (summary.pruned() != null) {
      put(node.putObject("pruned_iterations"), summary.pruned());
    }
    node.put("peak_resident_bytes", SystemMemory.peakResident());
    node.put("estimated_bytes_of_rank", estimate.bytes());
    if (link != null) {
      node.put("imitated_link", link);
    }
    node.put("run", folder.path().toString());
    return node;
  }

  static void put(ObjectNode node, String part, Score score) {
    node.put(part + "_loss", score.loss());
    node.put(part + "_accuracy", score.accuracy());
    node.put(part + "_perplexity", score.perplexity());
    node.put(part + "_predictions", score.labels());
  }

  private void put(ObjectNode node, Iterations iterations) {
    node.put("count", iterations.count());
    node.put("seconds_median", iterations.seconds());
    ObjectNode phases = node.putObject("phase_seconds");
    iterations.phases().forEach((phase, seconds) -> phases.put(phase.label(), seconds));
    node.put("forward_seconds", iterations.forwardSeconds());
    node.put("backward_seconds", iterations.backwardSeconds());
    node.put("bubble_seconds", iterations.bubbleSeconds());
    node.put("bubble_seconds_formula", iterations.bubbleFormula(grid().inter()));
    node.put("gradient_bytes", iterations.gradientBytes());
    node.put("activation_bytes", iterations.activationBytes());
  }
}
