package dev.gossamer.cli.report;

import dev.gossamer.ClassEvaluation;
import dev.gossamer.LabelEvaluation;
import dev.gossamer.NumberEvaluation;
import dev.gossamer.Reliability;
import dev.gossamer.cli.page.AgreementChart;
import dev.gossamer.cli.page.HeatMap;
import dev.gossamer.cli.page.ReliabilityChart;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.pruned.PrunedEvaluation;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.run.ClassCounts;
import dev.gossamer.run.Confusion;
import dev.gossamer.run.LabelCounts;
import dev.gossamer.run.LabelScoring;
import dev.gossamer.run.Metric;
import dev.gossamer.run.NumberScoring;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What models do on their data, by what they predict: scores of each class, label or number, which
/// classes are taken for which, probabilities, and maps of the vertices.
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
    for (int r = 0; r < runs.all().size(); r++) {
      switch (runs.all().get(r).found()) {
        case null -> {}
        case EvaluatedModel.Classes(ClassEvaluation found) -> {
          String part = Choice.name(found.lastPart());
          classes(r, found.classes(), found.counts(found.lastPart()), "vertices", part);
        }
        case EvaluatedModel.Labels(LabelEvaluation found) -> labels(r, found);
        case EvaluatedModel.Numbers(EvaluatedNumbers found) -> numbers(r, found);
        case EvaluatedModel.Edges() -> {}
        case EvaluatedModel.Samples(Map<Part, PrunedEvaluation> parts) -> samples(r, parts);
      }
    }
    probabilities();
    maps();
  }

  /// Classes by their size, the largest.
  private static List<Integer> largest(ClassCounts counts) {
    return IntStream.range(0, counts.size())
        .filter(c -> counts.support(c) > 0)
        .boxed()
        .sorted(Comparator.comparingLong(c -> -counts.support(c)))
        .limit(MOST_CLASSES)
        .toList();
  }

  /// @param what `vertices` or `samples`
  /// @param part of the data
  private void classes(int r, List<String> names, Confusion counts, String what, String part) {
    List<Integer> shown = largest(counts);
    sheet
        .section("Classes", r)
        .sentence(
            "The %,d %s of the part '%s'; the largest classes first."
                .formatted(counts.count(), what, part));
    sheet.figure(Drawing.CONFUSION, r, confusion(names, counts, shown).plot());
    sheet
        .page()
        .table(
            List.of("class", "precision", "recall", "F1", what),
            shown.stream().map(c -> scores(names.get(c), counts, c)).toList());
  }

  private void labels(int r, LabelEvaluation found) {
    LabelCounts counts = found.lastCounts();
    sheet
        .section("Labels", r)
        .sentence(
            "The part '%s'; the most frequent labels first. A label is predicted where its probability is at least one half; the areas do not depend on that."
                .formatted(Choice.name(found.lastPart())));
    sheet
        .page()
        .table(
            List.of(
                "label",
                "share",
                "precision",
                "recall",
                "F1",
                Metric.ROC_AUC.title(),
                Metric.PR_AUC.title(),
                "vertices"),
            largest(counts).stream()
                .map(t -> scores(found.labels().get(t), counts, found.areas().get(t), t))
                .toList());
  }

  private static List<String> scores(
      String name, LabelCounts counts, LabelScoring.Areas areas, int t) {
    List<String> row = new ArrayList<>(scores(name, counts, t));
    row.add(1, NumberText.of((double) counts.support(t) / counts.known(t), "%.4f"));
    row.add(row.size() - 1, NumberText.of(areas.roc().orElse(Double.NaN), "%.4f"));
    row.add(row.size() - 1, NumberText.of(areas.precision().orElse(Double.NaN), "%.4f"));
    return row;
  }

  private void numbers(int r, EvaluatedNumbers found) {
    NumberEvaluation scores = found.scores();
    sheet
        .section("Numbers", r)
        .sentence(
            "The part '%s', in the units of the data.".formatted(Choice.name(scores.lastPart())));
    List<List<String>> rows = new ArrayList<>();
    for (int t = 0; t < scores.names().size(); t++) {
      NumberScoring.OfColumn each = scores.numbers().get(t);
      rows.add(
          List.of(
              scores.names().get(t),
              NumberText.of(each.rmse(), "%.4g"),
              NumberText.of(each.mae(), "%.4g"),
              NumberText.of(each.r2(), "%.4f"),
              "%,d".formatted(each.count())));
    }
    sheet
        .page()
        .table(
            List.of(
                "number", Metric.RMSE.title(), Metric.MAE.title(), Metric.R2.title(), "vertices"),
            rows);
    if (found.shown().size() < rows.size()) {
      sheet.page().sentence("The first %d vertex by vertex:".formatted(found.shown().size()));
    }
    sheet.figure(
        Drawing.NUMBERS, r, new AgreementChart("Predicted and known", found.shown()).plot());
  }

  private void samples(int r, Map<Part, PrunedEvaluation> parts) {
    boolean text = parts.values().stream().anyMatch(each -> each.score().text() != null);
    List<String> head = new ArrayList<>(List.of("", "loss", "perplexity", "accuracy"));
    if (text) {
      head.addAll(List.of("bits/byte", "word perplexity"));
    }
    head.add("predictions");
    sheet
        .section("Samples", r)
        .sentence("All samples of each part; training evaluates some of them.")
        .table(
            head,
            parts.entrySet().stream()
                .map(part -> scores(part.getKey().toString(), part.getValue().score(), text))
                .toList());
    parts.entrySet().stream()
        .max(Map.Entry.comparingByKey())
        .ifPresent(last -> images(r, last.getKey(), last.getValue().counts()));
  }

  /// @param counts null of a text
  private void images(int r, Part part, @Nullable Confusion counts) {
    if (counts != null) {
      List<String> names = IntStream.range(0, counts.size()).mapToObj(c -> "class " + c).toList();
      classes(r, names, counts, "samples", part.toString());
    }
  }

  private static List<String> scores(String part, Score score, boolean text) {
    List<String> row = new ArrayList<>(List.of(part));
    row.add(NumberText.of(score.loss(), "%.4f"));
    row.add(NumberText.of(score.perplexity(), "%.2f"));
    row.add(NumberText.of(score.accuracy(), "%.4f"));
    if (text) {
      row.add(NumberText.of(score.bitsPerByte(), "%.4f"));
      row.add(NumberText.of(score.wordPerplexity(), "%.2f"));
    }
    row.add("%,d".formatted(score.labels()));
    return row;
  }

  private static List<String> scores(String name, ClassCounts counts, int c) {
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
      if (!(runs.all().get(r).found() instanceof EvaluatedModel.Classes(ClassEvaluation found))) {
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
      if (evaluated == null || evaluated.found() instanceof EvaluatedModel.Samples) {
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
      sheet.page().sentence(said(evaluated.found(), map));
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

  private static String said(EvaluatedModel.Found found, VertexMap map) {
    String vectors =
        found instanceof EvaluatedModel.Edges
            ? "the outputs of the network"
            : "the activations of the last hidden layer";
    String colours =
        map.hasClasses()
            ? " The colour is the known class or, where there is none, the predicted one."
            : "";
    return "A point is a vertex, placed by its vector (%s, divided by their length).%s"
        .formatted(vectors, colours);
  }
}
