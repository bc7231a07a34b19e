package dev.gossamer.cli.report;

import dev.gossamer.cli.page.LineChart;
import dev.gossamer.cli.page.Page;
import dev.gossamer.cli.page.SvgPlot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A page that is written section by section, with the drawings that are on it.
///
/// @param runs that it is about
/// @param page the page
/// @param charts drawings so far, by name
record ReportSheet(ComparedRuns runs, Page page, Map<String, SvgPlot> charts) {
  ReportSheet(ComparedRuns runs, Page page) {
    this(runs, page, new LinkedHashMap<>());
  }

  /// Begins a section about one run.
  ///
  /// @param run its number from 0 on
  Page section(String heading, int run) {
    return page.section(runs.isAlone() ? heading : heading + " of " + runs.label(run));
  }

  /// Adds a drawing of all runs.
  void figure(Drawing drawing, SvgPlot plot) {
    figure(drawing.chart(), plot);
  }

  /// Adds a drawing of one run.
  ///
  /// @param run its number from 0 on
  void figure(Drawing drawing, int run, SvgPlot plot) {
    figure(runs.isAlone() ? drawing.chart() : drawing.chart(run + 1), plot);
  }

  /// Adds a drawing.
  void figure(String name, SvgPlot plot) {
    charts.put(name, plot);
    page.figure(plot);
  }

  /// Adds a number of each step of all runs as lines.
  ///
  /// @param key as in `metrics.jsonl`
  void curve(Drawing drawing, String title, String key) {
    List<LineChart.Line> lines = new ArrayList<>();
    for (int r = 0; r < runs.all().size(); r++) {
      ReportedRun run = runs.all().get(r);
      String name = runs.isAlone() ? title : runs.label(r);
      lines.add(new LineChart.Line(name, run.numbers(), run.values(key).toArray(), run.best()));
    }
    figure(drawing, new LineChart(title, runs.first().unit(), lines).plot());
  }
}
