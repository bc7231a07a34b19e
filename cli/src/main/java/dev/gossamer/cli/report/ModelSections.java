package dev.gossamer.cli.report;

import dev.gossamer.ClassEvaluation;
import dev.gossamer.Reliability;
import dev.gossamer.cli.page.HeatMap;
import dev.gossamer.cli.page.ReliabilityChart;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.run.Confusion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/// What models do on their data: classes and how they are confused, probabilities, and maps of the
/// vertices.
final class ModelSections {
  /// Classes of a confusion matrix at most, the largest.
  private static final int MOST_CLASSES = 60;

  private static final double PERMILLE = 1000;

  private final ReportSheet sheet;
  private final ComparedRuns runs;

  ModelSections(ReportSheet sheet) {
    this.sheet = sheet;
    runs = sheet.runs();
  }

  /// Adds the sections of the runs whose models were evaluated.
  void add() {
    classes();
    probabilities();
    maps();
  }

  private void classes() {
    for (int r = 0; r < runs.all().size(); r++) {
      ClassEvaluation found = runs.all().get(r).classes();
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
      sheet
          .section("Classes", r)
          .sentence(
              "The %,d vertices of the part '%s'; the largest classes first."
                  .formatted(counts.count(), Choice.name(found.lastPart())));
      sheet.figure(Drawing.CONFUSION, r, confusion(found.classes(), counts, shown).plot());
      sheet
          .page()
          .table(
              List.of("class", "precision", "recall", "F1", "vertices"),
              shown.stream().map(c -> scores(found.classes().get(c), counts, c)).toList());
    }
  }

  private static List<String> scores(String name, Confusion counts, int c) {
    return List.of(
        name,
        NumberText.of(counts.precision(c).orElse(Double.NaN), "%.4f"),
        NumberText.of(counts.recall(c).orElse(Double.NaN), "%.4f"),
        NumberText.of(counts.f1(c).orElse(Double.NaN), "%.4f"),
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
    for (int r = 0; r < runs.all().size(); r++) {
      ClassEvaluation found = runs.all().get(r).classes();
      if (found == null) {
        continue;
      }
      Reliability reliability = found.reliability();
      sheet
          .section("Probabilities", r)
          .sentence(
              "How often the likeliest class is right, by its probability: the %,d vertices of the part '%s' in %d bins. Below the diagonal the model is too sure, above it not sure enough. The expected calibration error, the mean distance from the diagonal over the vertices, is %s; 0 is best."
                  .formatted(
                      reliability.vertices(),
                      Choice.name(found.lastPart()),
                      Reliability.BINS,
                      NumberText.of(reliability.error(), "%.4f")));
      sheet.figure(Drawing.CALIBRATION, r, reliability(reliability).plot());
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
    String error = NumberText.of(found.error(), "%.4f");
    return new ReliabilityChart("Probability and frequency: calibration error " + error, bins);
  }

  private void maps() {
    for (int r = 0; r < runs.all().size(); r++) {
      EvaluatedModel evaluated = runs.all().get(r).evaluated();
      if (evaluated == null) {
        continue;
      }
      sheet.section("Map of vertices", r);
      VertexMap map = evaluated.map();
      if (map == null) {
        sheet
            .page()
            .sentence(
                "There is none: the network has no hidden layer, whose activations would be the vectors of vertices.");
        continue;
      }
      sheet
          .page()
          .sentence(
              "A point is a vertex, placed by its vector (%s, divided by their length). The colour is the known class or, where there is none, the predicted one."
                  .formatted(
                      evaluated.classes() == null
                          ? "the outputs of the network"
                          : "the activations of the last hidden layer"));
      sheet.page().sentence("Projected onto the two directions in which vectors vary most:");
      sheet.figure(Drawing.COMPONENTS, r, map.byComponents().plot());
      sheet
          .page()
          .sentence(
              "Laid out so that each vertex is near the %d with the most similar vectors (UMAP); how far groups are apart says little:"
                  .formatted(NeighbourPlane.NEIGHBOURS));
      sheet.figure(Drawing.NEIGHBOURS, r, map.byNeighbours().plot());
    }
  }
}
