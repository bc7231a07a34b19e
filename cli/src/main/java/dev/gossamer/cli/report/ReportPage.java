package dev.gossamer.cli.report;

import dev.gossamer.cli.page.LineChart;
import dev.gossamer.cli.page.Page;
import dev.gossamer.cli.page.SvgPlot;
import dev.gossamer.run.RunMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// A page about one run, or about several side by side.
final class ReportPage {
  /// On the second line of each page, by which a page is known that may be replaced.
  static final String REMARK = "gossamer report";

  /// Runs on a page at most: more are not told apart.
  static final int MOST_RUNS = 100;

  private static final String SECONDS = "seconds";

  private final ComparedRuns runs;

  /// Metrics of all runs, the loss last, and the accuracy under one of its names.
  private final Set<String> metrics;

  private final ReportSheet sheet;

  /// @param shown at least one
  ReportPage(List<ReportedRun> shown) {
    runs = new ComparedRuns(shown);
    metrics = ScoreNames.of(shown);
    String title = runs.isAlone() ? runs.first().name() : shown.size() + " runs";
    sheet = new ReportSheet(runs, new Page(title, REMARK));
    results();
    settings();
    curves();
    new ModelSections(sheet).add();
    new CostSections(sheet).add();
    new PruningSections(sheet).add();
  }

  /// The text of the page.
  String html() {
    return sheet.page().html();
  }

  /// The drawings of the page by name.
  Map<String, SvgPlot> charts() {
    return Map.copyOf(sheet.charts());
  }

  private void results() {
    List<List<String>> rows = new ArrayList<>();
    if (!runs.isAlone()) {
      rows.add(runs.row("run", ReportedRun::name));
    }
    rows.add(runs.row("data", ReportPage::data));
    rows.add(runs.row("model", run -> ComparedRuns.setting(run, "model")));
    rows.add(
        runs.row("steps", run -> "%,d %ss".formatted(run.metrics().steps().size(), run.unit())));
    rows.add(
        runs.row(
            "weights of",
            run -> run.best() == 0 ? NumberText.NONE : run.unit() + " " + run.best()));
    rows.add(runs.row("seconds, median", run -> NumberText.of(run.median(SECONDS), "%.4f")));
    if (runs.all().stream().anyMatch(run -> run.plannedSeconds() > 0)) {
      rows.add(
          runs.row(
              runs.all().stream().allMatch(ReportedRun::countsIterations)
                  ? "seconds, planned at the end"
                  : "seconds, planned",
              run -> NumberText.positive(run.plannedSeconds(), "%.4f")));
    }
    rows.add(runs.row("seconds, all", run -> NumberText.of(run.values(SECONDS).sum(), "%,.1f")));
    if (!runs.isAlone()) {
      for (String part : List.of("test", "validation")) {
        rows.addAll(scores(part));
      }
    }
    sheet.page().table(runs.head(), rows);
    if (runs.isAlone()) {
      partsOf(runs.first());
    }
    if (runs.all().stream().allMatch(run -> run.metrics().steps().isEmpty())) {
      sheet.page().sentence("No step has been finished yet.");
    }
  }

  /// The name of the data, or of their file.
  private static String data(ReportedRun run) {
    String data = ComparedRuns.setting(run, "data");
    return data.substring(data.lastIndexOf('/', data.length() - 2) + 1);
  }

  /// The scores of a part, a row for each metric that a run has.
  private List<List<String>> scores(String part) {
    return metrics.stream()
        .filter(metric ->
            runs.all().stream().anyMatch(run -> Double.isFinite(chosenScore(run, part, metric))))
        .map(metric ->
            runs.row(
                part + " " + ScoreNames.title(metric),
                run -> NumberText.of(chosenScore(run, part, metric), "%.4f")))
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
      parts.forEach(part -> row.add(NumberText.of(chosenScore(run, part, metric), "%.4f")));
      rows.add(row);
    }
    sheet
        .page()
        .section("Scores")
        .table(Stream.concat(Stream.of(""), parts.stream()).toList(), rows);
  }

  private static double chosenScore(ReportedRun run, String part, String metric) {
    RunMetrics.Step chosen = run.chosen();
    return chosen == null ? Double.NaN : chosen.score(part, metric);
  }

  /// Differences first.
  private void settings() {
    if (runs.flags().isEmpty()) {
      return;
    }
    sheet.page().section("Settings");
    if (!runs.isAlone()) {
      if (runs.different().isEmpty()) {
        sheet.page().sentence("All settings are the same.");
      } else {
        sheet
            .page()
            .table(
                runs.head(),
                runs.different().stream()
                    .map(flag -> runs.row(flag, run -> ComparedRuns.setting(run, flag)))
                    .toList());
      }
    }
    List<List<String>> same =
        runs.flags().stream()
            .filter(flag -> !runs.different().contains(flag))
            .map(flag -> List.of(flag, ComparedRuns.setting(runs.first(), flag)))
            .toList();
    sheet
        .page()
        .folded(
            "%,d settings%s".formatted(same.size(), runs.isAlone() ? "" : " that are the same"),
            List.of(),
            same);
  }

  private void curves() {
    sheet.page().section("Training");
    if (runs.all().stream().anyMatch(run -> run.best() > 0)) {
      sheet.page().sentence("A point marks the weights that a run ends with.");
    }
    sheet.curve(Drawing.LOSS, "training loss", "loss");
    for (String metric : metrics) {
      String title =
          runs.isAlone() ? ScoreNames.title(metric) : "validation " + ScoreNames.title(metric);
      LineChart chart = new LineChart(title, runs.first().unit(), scoreLines(metric));
      sheet.figure(Drawing.ofScore(metric), chart.plot());
    }
  }

  /// Of one run each part, of several their validation.
  private List<LineChart.Line> scoreLines(String metric) {
    List<LineChart.Line> lines = new ArrayList<>();
    for (int r = 0; r < runs.all().size(); r++) {
      ReportedRun run = runs.all().get(r);
      for (String part : runs.isAlone() ? ScoreNames.PARTS : List.of("validation")) {
        String name = runs.isAlone() ? part : runs.label(r);
        double[] scores = run.scores(part, metric);
        lines.add(new LineChart.Line(name, run.numbers(), scores, run.best()));
      }
    }
    return lines;
  }
}
