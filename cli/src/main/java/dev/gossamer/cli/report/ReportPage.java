package dev.gossamer.cli.report;

import dev.gossamer.ClassEvaluation;
import dev.gossamer.Reliability;
import dev.gossamer.cli.page.BarChart;
import dev.gossamer.cli.page.HeatMap;
import dev.gossamer.cli.page.LineChart;
import dev.gossamer.cli.page.Page;
import dev.gossamer.cli.page.ReliabilityChart;
import dev.gossamer.cli.page.Style;
import dev.gossamer.cli.page.SvgPlot;
import dev.gossamer.cli.page.TimeChart;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.run.Confusion;
import dev.gossamer.run.Median;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunMetrics;
import dev.gossamer.run.RunTrace;
import dev.gossamer.run.RunTraffic;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A page about one run, or about several side by side.
final class ReportPage {
  /// On the second line of each page, by which a page is known that may be replaced.
  static final String REMARK = "gossamer report";

  private static final double MICROS = 1000;

  /// Runs on a page at most: more are not told apart.
  static final int MOST_RUNS = 100;

  /// Where there is nothing.
  private static final String NONE = "-";

  private static final String LOSS = "training-loss";
  private static final String SECONDS = "seconds";
  private static final String SPARSITY = "sparsity";
  private static final String MEMORY = "memory";
  private static final String TRAFFIC = "traffic";
  private static final String TIMELINE = "timeline";
  private static final String CONFUSION = "confusion";
  private static final String VERTICES = "vertices";
  private static final String CALIBRATION = "calibration";

  /// Drawings that each run of several has of its own.
  private static final List<String> OF_EACH_RUN =
      List.of(TRAFFIC, TIMELINE, CONFUSION, VERTICES, CALIBRATION);

  /// Classes of a confusion matrix at most, the largest.
  private static final int MOST_CLASSES = 60;

  private static final double PERMILLE = 1000;

  /// Ranks of a timeline at most.
  private static final int MOST_TRACED = 16;

  /// Settings that differ, at most, for runs to be told apart by their values.
  private static final int MOST_VALUES = 3;

  private final List<ReportedRun> runs;

  /// Flags of settings that differ, in alphabetic order.
  private final List<String> different;

  /// What each run is called in tables and drawings.
  private final List<String> labels;

  /// Metrics of all runs, the loss last, and the accuracy under one of its names.
  private final Set<String> metrics;

  private final Page page;

  /// Drawings by name.
  private final Map<String, SvgPlot> charts = new LinkedHashMap<>();

  /// @param runs at least one
  ReportPage(List<ReportedRun> runs) {
    this.runs = List.copyOf(runs);
    different = flags().stream().filter(this::differs).toList();
    labels = labels();
    metrics = ScoreNames.of(runs);
    page = new Page(runs.size() == 1 ? runs.getFirst().name() : runs.size() + " runs", REMARK);
    results();
    settings();
    curves();
    classes();
    probabilities();
    maps();
    seconds();
    memory();
    timelines();
    pruning();
    traffic();
  }

  /// The text of the page.
  String html() {
    return page.html();
  }

  /// The drawings of the page by name.
  Map<String, SvgPlot> charts() {
    return Map.copyOf(charts);
  }

  /// The names that drawings of any page may have.
  static Set<String> names() {
    Stream<String> others =
        Stream.concat(
            Stream.concat(Stream.of(LOSS, SECONDS, MEMORY, SPARSITY), OF_EACH_RUN.stream()),
            IntStream.rangeClosed(1, MOST_RUNS)
                .boxed()
                .flatMap(run -> OF_EACH_RUN.stream().map(chart -> numbered(chart, run))));
    return Stream.concat(ScoreNames.all().stream().map(ReportPage::nameOf), others)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static String nameOf(String metric) {
    return metric.replace('_', '-');
  }

  private static String numbered(String chart, int run) {
    return chart + "-" + run;
  }

  private boolean isAlone() {
    return runs.size() == 1;
  }

  private Set<String> flags() {
    Set<String> flags = new TreeSet<>();
    runs.forEach(run -> flags.addAll(run.settings().keySet()));
    return flags;
  }

  private boolean differs(String flag) {
    return runs.stream().map(run -> setting(run, flag)).distinct().count() > 1;
  }

  private static String setting(ReportedRun run, String flag) {
    return run.settings().getOrDefault(flag, NONE);
  }

  /// The values by which runs differ, if they are few and tell them apart; else their names.
  private List<String> labels() {
    List<String> values =
        runs.stream()
            .map(run ->
                different.stream()
                    .map(flag -> "%s %s".formatted(flag, setting(run, flag)))
                    .collect(Collectors.joining(", ")))
            .toList();
    boolean few = !different.isEmpty() && different.size() <= MOST_VALUES;
    return few && values.stream().distinct().count() == runs.size()
        ? values
        : runs.stream().map(ReportedRun::name).toList();
  }

  private void figure(String name, SvgPlot plot) {
    charts.put(name, plot);
    page.figure(plot);
  }

  private List<String> head() {
    return isAlone() ? List.of() : Stream.concat(Stream.of(""), labels.stream()).toList();
  }

  private List<String> row(String name, Function<ReportedRun, String> cell) {
    List<String> row = new ArrayList<>(List.of(name));
    runs.forEach(run -> row.add(cell.apply(run)));
    return row;
  }

  private void results() {
    List<List<String>> rows = new ArrayList<>();
    if (!isAlone()) {
      rows.add(row("run", ReportedRun::name));
    }
    rows.add(row("data", ReportPage::data));
    rows.add(row("model", run -> setting(run, "model")));
    rows.add(row("steps", run -> "%,d %ss".formatted(run.metrics().steps().size(), run.unit())));
    rows.add(row("weights of", run -> run.best() == 0 ? NONE : run.unit() + " " + run.best()));
    rows.add(row("seconds, median", run -> number(median(run), "%.4f")));
    if (runs.stream().anyMatch(run -> run.plannedSeconds() > 0)) {
      rows.add(row("seconds, planned", run -> positive(run.plannedSeconds(), "%.4f")));
    }
    rows.add(row("seconds, all", run -> number(run.values(SECONDS).sum(), "%,.1f")));
    if (!isAlone()) {
      for (String part : List.of("test", "validation")) {
        rows.addAll(scores(part));
      }
    }
    page.table(head(), rows);
    if (isAlone()) {
      partsOf(runs.getFirst());
    }
    if (runs.stream().allMatch(run -> run.metrics().steps().isEmpty())) {
      page.sentence("No step has been finished yet.");
    }
  }

  /// The name of the data, or of their file.
  private static String data(ReportedRun run) {
    String data = setting(run, "data");
    return data.substring(data.lastIndexOf('/', data.length() - 2) + 1);
  }

  /// The scores of a part, a row for each metric that a run has.
  private List<List<String>> scores(String part) {
    return metrics.stream()
        .filter(metric ->
            runs.stream().anyMatch(run -> Double.isFinite(chosenScore(run, part, metric))))
        .map(metric ->
            row(
                part + " " + ScoreNames.title(metric),
                run -> number(chosenScore(run, part, metric), "%.4f")))
        .toList();
  }

  /// The scores of one run, a column for each part.
  private void partsOf(ReportedRun run) {
    List<String> parts = ScoreNames.PARTS.stream().filter(part -> !scores(part).isEmpty()).toList();
    if (parts.isEmpty()) {
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    for (String metric : metrics) {
      List<String> row = new ArrayList<>(List.of(ScoreNames.title(metric)));
      parts.forEach(part -> row.add(number(chosenScore(run, part, metric), "%.4f")));
      rows.add(row);
    }
    page.section("Scores").table(Stream.concat(Stream.of(""), parts.stream()).toList(), rows);
  }

  private static double chosenScore(ReportedRun run, String part, String metric) {
    RunMetrics.Step chosen = run.chosen();
    return chosen == null ? Double.NaN : chosen.score(part, metric);
  }

  private static String number(double value, String format) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : NONE;
  }

  private static String positive(double value, String format) {
    return value > 0 ? number(value, format) : NONE;
  }

  private static double median(ReportedRun run) {
    double[] seconds = run.values(SECONDS).filter(Double::isFinite).toArray();
    return seconds.length == 0 ? Double.NaN : Median.of(Arrays.stream(seconds));
  }

  /// Differences first.
  private void settings() {
    Set<String> flags = flags();
    if (flags.isEmpty()) {
      return;
    }
    page.section("Settings");
    if (!isAlone()) {
      if (different.isEmpty()) {
        page.sentence("All settings are the same.");
      } else {
        page.table(
            head(), different.stream().map(flag -> row(flag, run -> setting(run, flag))).toList());
      }
    }
    List<List<String>> same =
        flags.stream()
            .filter(flag -> !different.contains(flag))
            .map(flag -> List.of(flag, setting(runs.getFirst(), flag)))
            .toList();
    page.folded(
        "%,d settings%s".formatted(same.size(), isAlone() ? "" : " that are the same"),
        List.of(),
        same);
  }

  private void curves() {
    page.section("Training");
    if (runs.stream().anyMatch(run -> run.best() > 0)) {
      page.sentence("A point marks the weights that a run ends with.");
    }
    String unit = runs.getFirst().unit();
    figure(LOSS, new LineChart("training loss", unit, lines("loss")).plot());
    for (String metric : metrics) {
      String title =
          isAlone() ? ScoreNames.title(metric) : "validation " + ScoreNames.title(metric);
      figure(nameOf(metric), new LineChart(title, unit, scoreLines(metric)).plot());
    }
  }

  private List<LineChart.Line> lines(String key) {
    List<LineChart.Line> lines = new ArrayList<>();
    for (int r = 0; r < runs.size(); r++) {
      ReportedRun run = runs.get(r);
      String name = isAlone() ? key : labels.get(r);
      lines.add(new LineChart.Line(name, run.numbers(), run.values(key).toArray(), run.best()));
    }
    return lines;
  }

  /// Of one run each part, of several their validation.
  private List<LineChart.Line> scoreLines(String metric) {
    List<LineChart.Line> lines = new ArrayList<>();
    for (int r = 0; r < runs.size(); r++) {
      ReportedRun run = runs.get(r);
      for (String part : isAlone() ? ScoreNames.PARTS : List.of("validation")) {
        String name = isAlone() ? part : labels.get(r);
        double[] scores = run.scores(part, metric);
        lines.add(new LineChart.Line(name, run.numbers(), scores, run.best()));
      }
    }
    return lines;
  }

  private void classes() {
    for (int r = 0; r < runs.size(); r++) {
      ClassEvaluation found = runs.get(r).classes();
      if (found == null) {
        continue;
      }
      Confusion counts = found.counts(found.lastPart());
      List<Integer> shown =
          IntStream.range(0, counts.size())
              .filter(c -> counts.support(c) > 0)
              .boxed()
              .sorted(Comparator.comparingLong(c -> -counts.support(c)))
              .limit(MOST_CLASSES)
              .toList();
      page.section(isAlone() ? "Classes" : "Classes of " + labels.get(r))
          .sentence(
              "The %,d vertices of the part '%s'; the largest classes first."
                  .formatted(counts.count(), Choice.name(found.lastPart())));
      figure(
          isAlone() ? CONFUSION : numbered(CONFUSION, r + 1),
          confusion(found.classes(), counts, shown).plot());
      page.table(
          List.of("class", "precision", "recall", "F1", "vertices"),
          shown.stream().map(c -> scores(found.classes().get(c), counts, c)).toList());
    }
  }

  private static List<String> scores(String name, Confusion counts, int c) {
    return List.of(
        name,
        number(counts.precision(c).orElse(Double.NaN), "%.4f"),
        number(counts.recall(c).orElse(Double.NaN), "%.4f"),
        number(counts.f1(c).orElse(Double.NaN), "%.4f"),
        "%,d".formatted(counts.support(c)));
  }

  /// Shares of the vertices of each class (row) that are taken for each (column).
  private static HeatMap confusion(List<String> names, Confusion counts, List<Integer> shown) {
    long[][] shares = new long[shown.size()][shown.size()];
    for (int i = 0; i < shares.length; i++) {
      int label = shown.get(i);
      for (int j = 0; j < shares.length; j++) {
        double share = (double) counts.count(label, shown.get(j)) / counts.support(label);
        shares[i][j] = Math.round(PERMILLE * share);
      }
    }
    return new HeatMap(
        "Share of each class that is taken for each",
        "class",
        "taken for",
        i -> "%s  %d".formatted(names.get(shown.get(i)), i + 1),
        i -> Integer.toString(i + 1),
        shares,
        share -> String.format(Locale.ROOT, "%.1f %%", share / (PERMILLE / 100)));
  }

  private void probabilities() {
    for (int r = 0; r < runs.size(); r++) {
      ClassEvaluation found = runs.get(r).classes();
      if (found == null) {
        continue;
      }
      Reliability reliability = found.reliability();
      page.section(isAlone() ? "Probabilities" : "Probabilities of " + labels.get(r))
          .sentence(
              "How often the likeliest class is right, by its probability: the %,d vertices of the part '%s' in %d bins. Below the diagonal the model is too sure, above it not sure enough. The expected calibration error, the mean distance from the diagonal over the vertices, is %s; 0 is best."
                  .formatted(
                      reliability.vertices(),
                      Choice.name(found.lastPart()),
                      Reliability.BINS,
                      number(reliability.error(), "%.4f")));
      figure(
          isAlone() ? CALIBRATION : numbered(CALIBRATION, r + 1), reliability(reliability).plot());
    }
  }

  private static ReliabilityChart reliability(Reliability found) {
    List<ReliabilityChart.Bin> bins = new ArrayList<>();
    double width = 1.0 / found.bins().size();
    for (int b = 0; b < found.bins().size(); b++) {
      Reliability.Bin bin = found.bins().get(b);
      if (Double.isFinite(bin.confidence())) {
        String tip =
            String.format(
                Locale.ROOT,
                "mean probability %.3f: %.3f of %,d are right",
                bin.confidence(),
                bin.accuracy(),
                bin.vertices());
        bins.add(
            new ReliabilityChart.Bin(
                b * width, (b + 1) * width, bin.confidence(), bin.accuracy(), tip));
      }
    }
    String error = number(found.error(), "%.4f");
    return new ReliabilityChart("Probability and frequency: calibration error " + error, bins);
  }

  private void maps() {
    for (int r = 0; r < runs.size(); r++) {
      EvaluatedModel evaluated = runs.get(r).evaluated();
      if (evaluated == null) {
        continue;
      }
      page.section(isAlone() ? "Map of vertices" : "Map of vertices of " + labels.get(r));
      VertexMap map = evaluated.map();
      if (map == null) {
        page.sentence(
            "There is none: the network has no hidden layer, whose activations would be the vectors of vertices.");
        continue;
      }
      page.sentence(
          "Vertices that the network sees as similar are near each other: a point is the vector of a vertex (%s, divided by their length), projected onto the two directions in which vectors vary most. The colour is the known class or, where there is none, the predicted one."
              .formatted(
                  evaluated.classes() == null
                      ? "the outputs of the network"
                      : "the activations of the last hidden layer"));
      figure(isAlone() ? VERTICES : numbered(VERTICES, r + 1), map.chart().plot());
    }
  }

  /// The medians of each phase.
  private void seconds() {
    Set<String> phases = new LinkedHashSet<>();
    List<BarChart.Bar> bars = new ArrayList<>();
    for (ReportedRun run : runs) {
      run.metrics().steps().forEach(step -> phases.addAll(step.phases().keySet()));
    }
    List<List<String>> rows = new ArrayList<>();
    for (String phase : phases) {
      if (runs.stream().anyMatch(run -> phase(run, phase) > 0)) {
        rows.add(row(phase, run -> number(phase(run, phase), "%.5f")));
      }
    }
    if (rows.isEmpty()) {
      return;
    }
    for (int r = 0; r < runs.size(); r++) {
      ReportedRun run = runs.get(r);
      List<BarChart.Part> parts = new ArrayList<>();
      for (int p = 0; p < rows.size(); p++) {
        String phase = rows.get(p).getFirst();
        double seconds = phase(run, phase);
        String tip = String.format(Locale.ROOT, "%s: %.5f s", phase, seconds);
        parts.add(new BarChart.Part(Style.fill(p), Double.isFinite(seconds) ? seconds : 0, tip));
      }
      bars.add(new BarChart.Bar(labels.get(r), parts, number(median(run), "%.4f s")));
    }
    page.section("Time")
        .sentence(
            "Median seconds of a step by phase, each on the rank that took longest; phases of several ranks may add up to more than the step.");
    List<String> shown = rows.stream().map(List::getFirst).toList();
    figure(SECONDS, new BarChart("Seconds by phase", shown, bars).plot());
    if (isAlone() && runs.getFirst().plannedSeconds() > 0) {
      page.table(List.of("", "measured", "planned"), withPlanned(rows));
    } else {
      page.table(head(), rows);
    }
  }

  /// Adds to the phases of one run what was planned of them.
  private List<List<String>> withPlanned(List<List<String>> measured) {
    Map<String, Double> planned = Objects.requireNonNull(runs.getFirst().estimate()).epochSeconds();
    return measured.stream()
        .map(row ->
            Stream.concat(
                    row.stream(),
                    Stream.of(positive(planned.getOrDefault(row.getFirst(), 0.0), "%.5f")))
                .toList())
        .toList();
  }

  /// Peaks beside what was estimated.
  private void memory() {
    if (runs.stream().noneMatch(run -> run.peakBytes() > 0)) {
      return;
    }
    List<BarChart.Bar> bars = new ArrayList<>();
    for (int r = 0; r < runs.size(); r++) {
      String of = isAlone() ? "" : labels.get(r) + ": ";
      bars.add(bytes(of + "estimated", runs.get(r).estimatedBytes()));
      bars.add(bytes(of + "peak", runs.get(r).peakBytes()));
    }
    page.section("Memory")
        .sentence(
            "What was estimated before the run for the process that needs most, and the peak of the first process.");
    figure(MEMORY, new BarChart("Resident memory", List.of(), bars).plot());
    RunEstimate estimate = runs.getFirst().estimate();
    if (isAlone() && estimate != null) {
      page.folded(
          "%d parts of the estimate".formatted(estimate.memory().items().size()),
          List.of(),
          estimate.memory().items().stream()
              .map(item -> List.of(item.name(), MemoryEstimate.readable(item.bytes())))
              .toList());
    }
  }

  private static BarChart.Bar bytes(String name, long bytes) {
    String text = bytes > 0 ? MemoryEstimate.readable(bytes) : NONE;
    return new BarChart.Bar(name, List.of(new BarChart.Part("bar", bytes, text)), text);
  }

  private static double phase(ReportedRun run, String phase) {
    double[] seconds =
        run.metrics().steps().stream()
            .mapToDouble(step -> step.phases().getOrDefault(phase, Double.NaN))
            .filter(Double::isFinite)
            .toArray();
    return seconds.length == 0 ? Double.NaN : Median.of(Arrays.stream(seconds));
  }

  private void timelines() {
    for (int r = 0; r < runs.size(); r++) {
      ReportedRun run = runs.get(r);
      RunTrace trace = run.trace();
      if (trace == null || trace.spans().isEmpty()) {
        continue;
      }
      page.section(isAlone() ? "Timeline" : "Timeline of " + labels.get(r));
      figure(isAlone() ? TIMELINE : numbered(TIMELINE, r + 1), timeline(run, trace).plot());
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

  private void pruning() {
    if (runs.stream().noneMatch(run -> run.values(SPARSITY).anyMatch(Double::isFinite))) {
      return;
    }
    page.section("Pruning").sentence("The share of weights that are pruned.");
    String unit = runs.getFirst().unit();
    figure(SPARSITY, new LineChart(SPARSITY, unit, lines(SPARSITY)).plot());
  }

  private void traffic() {
    for (int r = 0; r < runs.size(); r++) {
      ReportedRun run = runs.get(r);
      RunTraffic traffic = run.traffic();
      if (traffic == null || traffic.ranks() == 1) {
        continue;
      }
      page.section(isAlone() ? "Traffic" : "Traffic of " + labels.get(r));
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
      page.table(List.of(), rows);
      figure(isAlone() ? TRAFFIC : numbered(TRAFFIC, r + 1), heatMap(traffic).plot());
    }
  }

  private static HeatMap heatMap(RunTraffic traffic) {
    int groups = traffic.cells().length;
    boolean each = groups == traffic.ranks();
    IntFunction<String> first =
        group -> Long.toString(Math.ceilDiv((long) group * traffic.ranks(), (long) groups));
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
