package dev.gossamer.cli.report;

import dev.gossamer.cli.terminal.ProgressLine;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.run.Median;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunMetrics;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a terminal shows of a run: how far it is, its loss, where its time goes, its scores.
public final class RunPanel {
  private static final String BLOCKS = "▁▂▃▄▅▆▇█";

  /// Characters of the curve of the loss, at most.
  private static final int CURVE = 40;

  private final WatchedRun watched;
  private final ReportedRun run;
  private final OptionalDouble left;

  /// @param left seconds to the last step, if they can be told
  RunPanel(WatchedRun watched, OptionalDouble left) {
    this.watched = watched;
    this.run = watched.run();
    this.left = left;
  }

  /// Returns the figures of a training of this process.
  ///
  /// @param steps so far
  /// @param estimate what was planned
  static List<String> figures(List<RunMetrics.Step> steps, RunEstimate estimate) {
    ReportedRun run = ReportedRun.begun(steps, estimate);
    WatchedRun watched = new WatchedRun(run, WatchedRun.State.RUNNING);
    return printed(new RunPanel(watched, OptionalDouble.empty())::figures);
  }

  private static List<String> printed(Consumer<PrintWriter> prints) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    prints.accept(out);
    out.flush();
    return text.toString().lines().toList();
  }

  /// Returns the lines of the panel.
  List<String> lines() {
    return printed(this::print);
  }

  /// Prints the lines of the panel.
  void print(PrintWriter out) {
    out.printf("run      %s, %s%n", run.name(), state());
    out.printf("steps    %s%n", steps());
    figures(out);
    out.flush();
  }

  private void figures(PrintWriter out) {
    List<RunMetrics.Step> steps = run.metrics().steps();
    if (!steps.isEmpty()) {
      double[] losses = run.values("loss").toArray();
      out.printf(
          Locale.ROOT, "loss     %.4f  %s%n", losses[losses.length - 1], curve(losses, CURVE));
      out.println("seconds  " + seconds());
      memory(out);
      ranks(out);
      double sparsity = steps.getLast().number(ReportedRun.SPARSITY);
      if (sparsity > 0) {
        out.printf(Locale.ROOT, "pruned   %.1f %% of the weights%n", 100 * sparsity);
      }
      scores(out);
    }
  }

  private String state() {
    return switch (watched.state()) {
      case PREPARING -> "before its first step";
      case RUNNING -> "running";
      case FINISHED -> "finished";
      case STOPPED -> "stopped before its end";
    };
  }

  /// `80 of 200 epochs, 0:00:03 left`.
  String steps() {
    int total = watched.total();
    String count =
        total == 0
            ? "%,d %ss".formatted(watched.done(), run.unit())
            : "%,d of %,d %ss".formatted(watched.done(), total, run.unit());
    return watched.state() == WatchedRun.State.RUNNING && left.isPresent()
        ? count + ", about %s left".formatted(ProgressLine.duration(Math.round(left.getAsDouble())))
        : count;
  }

  /// The median of a step, and the phases of all steps, longest first.
  private String seconds() {
    Map<String, Double> phases = phases();
    double all = phases.values().stream().mapToDouble(Double::doubleValue).sum();
    String parts =
        phases.entrySet().stream()
            .filter(phase -> all > 0 && phase.getValue() / all >= 0.005)
            .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
            .map(phase ->
                String.format(
                    Locale.ROOT, "%s %.0f %%", phase.getKey(), 100 * phase.getValue() / all))
            .collect(Collectors.joining(", "));
    String planned =
        run.plannedSeconds() > 0
            ? String.format(
                Locale.ROOT,
                " (%.4f planned%s)",
                run.plannedSeconds(),
                run.countsIterations() ? " at the end" : "")
            : "";
    return String.format(Locale.ROOT, "%.4f per %s%s", medianSeconds(), run.unit(), planned)
        + (parts.isEmpty() ? "" : ": " + parts);
  }

  /// Median seconds of a step; 0 before the first.
  double medianSeconds() {
    return Median.of(run.values("seconds").filter(Double::isFinite));
  }

  /// The loss and a score of the last step, for a single line: empty before the first.
  String summary() {
    List<RunMetrics.Step> steps = run.metrics().steps();
    RunMetrics.Step last = scored();
    if (steps.isEmpty()) {
      return "";
    }
    String loss = String.format(Locale.ROOT, "loss %.4f", steps.getLast().number("loss"));
    return last == null
        ? loss
        : ScoreNames.of(List.of(run)).stream()
            .filter(metric -> Double.isFinite(last.score("validation", metric)))
            .findFirst()
            .map(metric ->
                "%s  validation %s %s"
                    .formatted(
                        loss, ScoreNames.title(metric), score(last.score("validation", metric))))
            .orElse(loss);
  }

  /// Seconds of all steps by phase.
  SortedMap<String, Double> phases() {
    return run.metrics().steps().stream()
        .flatMap(step -> step.phases().entrySet().stream())
        .collect(
            Collectors.groupingBy(
                Map.Entry::getKey, TreeMap::new, Collectors.summingDouble(Map.Entry::getValue)));
  }

  /// The peak of the first process, beside the estimate for the one that needs most.
  private void memory(PrintWriter out) {
    if (run.peakBytes() > 0) {
      String estimated =
          run.estimatedBytes() == 0
              ? ""
              : ", %s estimated".formatted(MemoryEstimate.readable(run.estimatedBytes()));
      out.printf("memory   %s peak%s%n", MemoryEstimate.readable(run.peakBytes()), estimated);
    }
  }

  /// What ranks sent, and how often they did not need to.
  private void ranks(PrintWriter out) {
    double sent = run.median(MetricsFile.SENT);
    if (!(sent > 0)) {
      return;
    }
    double hitRate = run.metrics().steps().getLast().number(MetricsFile.HIT_RATE);
    out.printf(
        Locale.ROOT,
        "traffic  %s per %s%s%n",
        MemoryEstimate.readable(Math.round(sent)),
        run.unit(),
        hitRate > 0
            ? String.format(
                Locale.ROOT, ", %.1f %% of the rows of other ranks in caches", 100 * hitRate)
            : "");
  }

  /// A row for each part that was scored.
  private void scores(PrintWriter out) {
    RunMetrics.Step last = scored();
    if (last == null) {
      return;
    }
    Set<String> metrics = ScoreNames.of(List.of(run));
    Table table = new Table();
    List<Object> head = new ArrayList<>(List.of("%s %d".formatted(run.unit(), last.number())));
    metrics.forEach(metric -> head.add(ScoreNames.title(metric)));
    table.row(head.toArray());
    for (String part : ScoreNames.PARTS) {
      if (last.scores().containsKey(part)) {
        List<Object> row = new ArrayList<>(List.of(part));
        metrics.forEach(metric -> row.add(score(last.score(part, metric))));
        table.row(row.toArray());
      }
    }
    table.print(out);
  }

  /// The step whose scores are shown: the one whose weights a finished run has, or else the last
  /// one that was evaluated; null if none was.
  RunMetrics.@Nullable Step scored() {
    if (watched.state() == WatchedRun.State.FINISHED && run.best() > 0) {
      return run.chosen();
    }
    return run.metrics().steps().reversed().stream()
        .filter(step -> !step.scores().isEmpty())
        .findFirst()
        .orElse(null);
  }

  private static String score(double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "-";
  }

  /// Values as a row of blocks of eight heights, from the lowest value to the highest: of positive
  /// values their logarithms; of more values than blocks, means of values that follow each other.
  static String curve(double[] values, int most) {
    int columns = Math.min(most, values.length);
    double[] means = new double[columns];
    for (int c = 0; c < columns; c++) {
      int begin = (int) ((long) values.length * c / columns);
      int end = (int) ((long) values.length * (c + 1) / columns);
      means[c] = Arrays.stream(values, begin, end).average().orElseThrow();
    }
    if (Arrays.stream(means).allMatch(mean -> mean > 0)) {
      Arrays.setAll(means, c -> Math.log(means[c]));
    }
    double lowest = Arrays.stream(means).min().orElse(0);
    double range = Arrays.stream(means).max().orElse(0) - lowest;
    return Arrays.stream(means)
        .mapToObj(mean -> range > 0 ? (int) ((BLOCKS.length() - 1) * (mean - lowest) / range) : 0)
        .map(height -> BLOCKS.substring(height, height + 1))
        .collect(Collectors.joining());
  }
}
