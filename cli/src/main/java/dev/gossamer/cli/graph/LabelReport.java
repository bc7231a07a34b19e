package dev.gossamer.cli.graph;

import dev.gossamer.LabelEvaluation;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.run.LabelCounts;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Scores of the labels on a part of the data.
///
/// @param part its name
/// @param labels name of each label
/// @param counts right and wrong predictions
record LabelReport(String part, List<String> labels, LabelCounts counts) {
  static List<LabelReport> of(LabelEvaluation found) {
    return List.of(
        new LabelReport("train", found.labels(), found.train()),
        new LabelReport("validation", found.labels(), found.validation()),
        new LabelReport("test", found.labels(), found.test()));
  }

  void put(ObjectNode node) {
    ArrayNode rows = node.putArray(part + "_labels");
    for (int t = 0; t < labels.size(); t++) {
      ObjectNode row = rows.addObject();
      row.put("label", labels.get(t));
      row.put("vertices", counts.support(t));
      counts.precision(t).ifPresent(share -> row.put("precision", share));
      counts.recall(t).ifPresent(share -> row.put("recall", share));
      counts.f1(t).ifPresent(share -> row.put("f1", share));
    }
  }

  void print(PrintWriter out) {
    Table table = new Table().row(part, "precision", "recall", "F1", "vertices");
    for (int t = 0; t < labels.size(); t++) {
      table.row(
          labels.get(t),
          shown(counts.precision(t)),
          shown(counts.recall(t)),
          shown(counts.f1(t)),
          "%,d".formatted(counts.support(t)));
    }
    out.println();
    table.print(out);
  }

  private static String shown(OptionalDouble share) {
    return share.isEmpty() ? "-" : String.format(Locale.ROOT, "%.4f", share.getAsDouble());
  }
}
