package dev.gossamer.cli.report;

import dev.gossamer.cli.page.BarChart;
import dev.gossamer.cli.page.HeatMap;
import dev.gossamer.cli.page.Style;
import dev.gossamer.cli.page.TimeChart;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunTrace;
import dev.gossamer.run.RunTraffic;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;

/// What runs cost: seconds by phase and by rank, memory, rows in caches, and bytes between ranks.
final class CostSections {
  private static final double MICROS = 1000;

  /// Ranks of a timeline at most.
  private static final int MOST_TRACED = 16;

  private final ReportSheet sheet;
  private final ComparedRuns runs;

  CostSections(ReportSheet sheet) {
    this.sheet = sheet;
    runs = sheet.runs();
  }

  /// Adds the sections.
  void add() {
    seconds();
    ranks();
    memory();
    timelines();
    traffic();
    caches();
  }

  /// The medians of each phase.
  private void seconds() {
    Set<String> phases = new LinkedHashSet<>();
    List<BarChart.Bar> bars = new ArrayList<>();
    for (ReportedRun run : runs.all()) {
      run.metrics().steps().forEach(step -> phases.addAll(step.phases().keySet()));
    }
    List<List<String>> rows = new ArrayList<>();
    for (String phase : phases) {
      if (runs.all().stream().anyMatch(run -> run.medianOfPhase(phase) > 0)) {
        rows.add(runs.row(phase, run -> NumberText.of(run.medianOfPhase(phase), "%.5f")));
      }
    }
    if (rows.isEmpty()) {
      return;
    }
    for (int r = 0; r < runs.all().size(); r++) {
      ReportedRun run = runs.all().get(r);
      List<BarChart.Part> parts = new ArrayList<>();
      for (int p = 0; p < rows.size(); p++) {
        String phase = rows.get(p).getFirst();
        double seconds = run.medianOfPhase(phase);
        String tip = String.format(Locale.ROOT, "%s: %.5f s", phase, seconds);
        parts.add(new BarChart.Part(Style.fill(p), Double.isFinite(seconds) ? seconds : 0, tip));
      }
      bars.add(
          new BarChart.Bar(runs.label(r), parts, NumberText.of(run.median("seconds"), "%.4f s")));
    }
    sheet
        .page()
        .section("Time")
        .sentence(
            "Median seconds of a step by phase, each on the rank that took longest; phases of several ranks may add up to more than the step.");
    List<String> shown = rows.stream().map(List::getFirst).toList();
    sheet.figure(Drawing.SECONDS, new BarChart("Seconds by phase", shown, bars).plot());
    if (runs.isAlone() && runs.first().plannedSeconds() > 0) {
      planned(rows);
    } else {
      sheet.page().table(runs.head(), rows);
    }
  }

  /// The phases of one run beside what was planned of them. What is planned for some phases
  /// together is compared with their sum.
  private void planned(List<List<String>> all) {
    ReportedRun run = runs.first().planned();
    if (run.metrics().steps().size() < runs.first().metrics().steps().size()) {
      sheet
          .page()
          .sentence(
              "Planned are iterations once the network is pruned; measured here are the %,d that are as sparse as the last."
                  .formatted(run.metrics().steps().size()));
    }
    Map<String, Double> planned = Objects.requireNonNull(run.estimate()).epochSeconds();
    List<List<String>> rows = new ArrayList<>();
    for (List<String> row : all) {
      String phase = row.getFirst();
      rows.add(beside(phase, run.medianOfPhase(phase), planned.getOrDefault(phase, 0.0)));
    }
    Double together = planned.get(IterationForecast.COMPUTE);
    if (together != null) {
      List<String> phases = IterationForecast.COMPUTED;
      double sum = phases.stream().mapToDouble(run::medianOfPhase).filter(Double::isFinite).sum();
      rows.add(beside(String.join(" + ", phases), sum, together));
    }
    rows.add(beside("all", run.median("seconds"), run.plannedSeconds()));
    sheet.page().table(List.of("", "measured", "planned"), rows);
  }

  private static List<String> beside(String phase, double measured, double planned) {
    return List.of(phase, NumberText.of(measured, "%.5f"), NumberText.positive(planned, "%.5f"));
  }

  /// Seconds of each rank, and how unequal they are.
  private void ranks() {
    for (int r = 0; r < runs.all().size(); r++) {
      RunTraffic costs = runs.all().get(r).traffic();
      if (costs == null || costs.ranks() == 1) {
        continue;
      }
      List<String> phases =
          costs.seconds().stream()
              .flatMap(phase -> phase.keySet().stream())
              .distinct()
              .filter(phase -> costs.mostSeconds(phase) > 0)
              .toList();
      if (phases.isEmpty()) {
        continue;
      }
      sheet
          .section("Ranks", r)
          .sentence(
              "Seconds of training of each rank, in all steps together. Where ranks wait for each other, those that have less to do wait longer.");
      sheet.figure(Drawing.RANKS, r, ranks(costs, phases).plot());
      sheet
          .page()
          .table(
              List.of("", "mean", "most", "times the mean"),
              phases.stream().map(phase -> imbalance(costs, phase)).toList());
    }
  }

  private static List<String> imbalance(RunTraffic costs, String phase) {
    double mean = costs.meanSeconds(phase, 0, costs.ranks());
    double most = costs.mostSeconds(phase);
    return List.of(
        phase,
        NumberText.of(mean, "%.3f"),
        NumberText.of(most, "%.3f"),
        NumberText.of(most / mean, "%.2f"));
  }

  /// A bar for each rank or, of many, for the mean of each group.
  private static BarChart ranks(RunTraffic costs, List<String> phases) {
    int groups = costs.cells().length;
    List<BarChart.Bar> bars = new ArrayList<>();
    for (int g = 0; g < groups; g++) {
      int begin = costs.firstOf(g);
      int end = costs.firstOf(g + 1);
      List<BarChart.Part> parts = new ArrayList<>();
      double all = 0;
      for (int p = 0; p < phases.size(); p++) {
        double seconds = costs.meanSeconds(phases.get(p), begin, end);
        String tip = String.format(Locale.ROOT, "%s: %.3f s", phases.get(p), seconds);
        parts.add(new BarChart.Part(Style.fill(p), seconds, tip));
        all += seconds;
      }
      String name = end == begin + 1 ? "rank " + begin : "ranks %d to %d".formatted(begin, end - 1);
      bars.add(new BarChart.Bar(name, parts, NumberText.of(all, "%.2f s")));
    }
    return new BarChart("Seconds by rank", phases, bars);
  }

  /// Peaks beside what was estimated.
  private void memory() {
    if (runs.all().stream().noneMatch(run -> run.peakBytes() > 0)) {
      return;
    }
    List<BarChart.Bar> bars = new ArrayList<>();
    for (int r = 0; r < runs.all().size(); r++) {
      String of = runs.isAlone() ? "" : runs.label(r) + ": ";
      bars.add(bytes(of + "estimated", runs.all().get(r).estimatedBytes()));
      bars.add(bytes(of + "peak", runs.all().get(r).peakBytes()));
    }
    sheet
        .page()
        .section("Memory")
        .sentence(
            "What was estimated before the run for the process that needs most, and the peak of the first process.");
    sheet.figure(Drawing.MEMORY, new BarChart("Resident memory", List.of(), bars).plot());
    RunEstimate estimate = runs.first().estimate();
    if (runs.isAlone() && estimate != null) {
      sheet
          .page()
          .folded(
              "%d parts of the estimate".formatted(estimate.memory().items().size()),
              List.of(),
              estimate.memory().items().stream()
                  .map(item -> List.of(item.name(), MemoryEstimate.readable(item.bytes())))
                  .toList());
    }
  }

  private static BarChart.Bar bytes(String name, long bytes) {
    String text = bytes > 0 ? MemoryEstimate.readable(bytes) : NumberText.NONE;
    return new BarChart.Bar(name, List.of(new BarChart.Part("bar", bytes, text)), text);
  }

  private void timelines() {
    for (int r = 0; r < runs.all().size(); r++) {
      ReportedRun run = runs.all().get(r);
      RunTrace trace = run.trace();
      if (trace == null || trace.spans().isEmpty()) {
        continue;
      }
      sheet.section("Timeline", r);
      sheet.figure(Drawing.TIMELINE, r, timeline(run, trace).plot());
    }
  }

  private static TimeChart timeline(ReportedRun run, RunTrace trace) {
    List<Track> tracks =
        trace.spans().stream()
            .map(span -> new Track(span.rank(), span.track()))
            .filter(track -> track.rank < MOST_TRACED)
            .distinct()
            .sorted()
            .toList();
    List<TimeChart.Span> spans = new ArrayList<>();
    for (RunTrace.Span span : trace.spans()) {
      int row = tracks.indexOf(new Track(span.rank(), span.track()));
      if (row >= 0) {
        spans.add(
            new TimeChart.Span(
                row, span.category(), span.name(), span.begin() / MICROS, span.end() / MICROS));
      }
    }
    return new TimeChart(
        "%s %d".formatted(run.unit(), trace.epoch()),
        tracks.stream().map(Track::name).toList(),
        spans);
  }

  /// A row of a timeline.
  private record Track(int rank, int number) implements Comparable<Track> {
    private static final List<String> NAMES = List.of("compute", "communication", "drawing");

    String name() {
      return "rank %d %s".formatted(rank, NAMES.get(Math.min(number, NAMES.size() - 1)));
    }

    @Override
    public int compareTo(Track other) {
      return Comparator.comparingInt(Track::rank)
          .thenComparingInt(Track::number)
          .compare(this, other);
    }
  }

  /// How often rows of other ranks were in caches, and how old they were.
  private void caches() {
    if (!any(MetricsFile.HIT_RATE)) {
      return;
    }
    sheet
        .page()
        .section("Caches")
        .sentence("The share of the rows of other ranks that batches found in the rank's caches.");
    sheet.curve(Drawing.HIT_RATE, "cache hit rate", MetricsFile.HIT_RATE);
    if (any(MetricsFile.STALENESS)) {
      sheet
          .page()
          .sentence(
              "How old embeddings were when they were used: the mean of each step, in batches.");
      sheet.curve(Drawing.STALENESS, "age of embeddings", MetricsFile.STALENESS);
    }
  }

  private boolean any(String key) {
    return runs.all().stream().anyMatch(run -> run.values(key).anyMatch(value -> value > 0));
  }

  private void traffic() {
    for (int r = 0; r < runs.all().size(); r++) {
      ReportedRun run = runs.all().get(r);
      RunTraffic traffic = run.traffic();
      if (traffic == null || traffic.ranks() == 1) {
        continue;
      }
      sheet.section("Traffic", r);
      long all = Arrays.stream(traffic.sent()).sum();
      long most = Arrays.stream(traffic.sent()).max().orElse(0);
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("all ranks", MemoryEstimate.readable(all)));
      rows.add(
          List.of(
              "the rank that sent most",
              String.format(
                  Locale.ROOT,
                  "%s, %.2f times the mean",
                  MemoryEstimate.readable(most),
                  all == 0 ? 1 : (double) most * traffic.ranks() / all)));
      traffic
          .byOperation()
          .forEach(
              (operation, bytes) -> rows.add(List.of(operation, MemoryEstimate.readable(bytes))));
      sheet.page().table(List.of(), rows);
      sheet.figure(Drawing.TRAFFIC, r, heatMap(traffic).plot());
    }
  }

  private static HeatMap heatMap(RunTraffic traffic) {
    int groups = traffic.cells().length;
    boolean each = groups == traffic.ranks();
    IntFunction<String> first = group -> Integer.toString(traffic.firstOf(group));
    return new HeatMap(
        each ? "Bytes that ranks sent" : "Bytes that groups of ranks sent",
        "from rank",
        "to rank",
        first,
        first,
        traffic.cells(),
        MemoryEstimate::readable);
  }
}
