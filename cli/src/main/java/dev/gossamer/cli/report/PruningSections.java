package dev.gossamer.cli.report;

import dev.gossamer.cli.page.BarChart;
import dev.gossamer.cli.page.Style;
import dev.gossamer.pruned.prune.MaskReport;
import java.util.List;
import java.util.Locale;

/// Which weights pruned networks have lost.
final class PruningSections {
  /// Matrices of a drawing at most, the first.
  private static final int MOST_MATRICES = 200;

  private static final double PERCENT = 100;

  private final ReportSheet sheet;
  private final ComparedRuns runs;

  PruningSections(ReportSheet sheet) {
    this.sheet = sheet;
    runs = sheet.runs();
  }

  /// Adds the sections, if a run is one of a pruned network.
  void add() {
    if (runs.all().stream()
        .noneMatch(run -> run.values(ReportedRun.SPARSITY).anyMatch(Double::isFinite))) {
      return;
    }
    sheet.page().section("Pruning").sentence("The share of weights that are pruned.");
    sheet.curve(Drawing.SPARSITY, "sparsity", ReportedRun.SPARSITY);
    for (int r = 0; r < runs.all().size(); r++) {
      MaskReport survivors = runs.all().get(r).survivors();
      if (survivors != null) {
        sheet
            .section("Survivors", r)
            .sentence(
                String.format(
                    Locale.ROOT,
                    "%,d of %,d elements of the matrices survive, %.1f %%.",
                    survivors.survivors(),
                    survivors.elements(),
                    PERCENT * (1 - survivors.sparsity())));
        sheet.figure(Drawing.SURVIVORS, r, chart(survivors).plot());
      }
    }
  }

  private static BarChart chart(MaskReport survivors) {
    List<BarChart.Bar> bars =
        survivors.matrices().stream().limit(MOST_MATRICES).map(PruningSections::bar).toList();
    return new BarChart("Survivors and pruned elements", List.of("survive", "pruned"), bars);
  }

  private static BarChart.Bar bar(MaskReport.Matrix matrix) {
    long pruned = matrix.elements() - matrix.survivors();
    String share =
        String.format(
            Locale.ROOT, "%.1f %%", PERCENT * matrix.survivors() / Math.max(1, matrix.elements()));
    return new BarChart.Bar(
        matrix.name(),
        List.of(
            new BarChart.Part(
                Style.fill(0),
                matrix.survivors(),
                "%,d of %,d survive".formatted(matrix.survivors(), matrix.elements())),
            new BarChart.Part(Style.fill(1), pruned, "%,d are pruned".formatted(pruned))),
        share);
  }
}
