package dev.gossamer.cli.graph;

import dev.gossamer.Calibration;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.PlainText;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.gnn.objective.ClassDecision;
import dev.gossamer.run.Confusion;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/// What was fitted, and how good probabilities and classes are before and after.
///
/// @param dataset its name
/// @param found by fitting
/// @param file of the calibrated model
record CalibrationReport(String dataset, Calibration found, Path file) {
  /// The class that a threshold is for.
  private static final int POSITIVE = 1;

  private ClassDecision decision() {
    return found.model().description().outputs().decision();
  }

  private boolean ofTwoClasses() {
    return found.model().classes().size() == 2;
  }

  void print(PrintWriter out, boolean json) {
    if (json) {
      out.println(JsonOutput.line(node()));
    } else {
      print(out);
    }
    out.flush();
  }

  private ObjectNode node() {
    ObjectNode node = JsonOutput.object();
    node.put("dataset", dataset);
    node.put("temperature", decision().temperature());
    if (decision().threshold() != null) {
      node.put("threshold", decision().threshold());
      node.put("threshold_class", found.model().classes().get(POSITIVE));
    }
    put(node, "validation", found.validation());
    put(node, "test", found.test());
    node.put("file", file.toString());
    return node;
  }

  private void put(ObjectNode node, String part, Calibration.Change change) {
    put(node.putObject(part + "_before"), change.before());
    put(node.putObject(part + "_after"), change.after());
  }

  private void put(ObjectNode node, Calibration.Quality quality) {
    Confusion counts = quality.counts();
    node.put("vertices", counts.count());
    node.put("loss", quality.loss());
    node.put("calibration_error", quality.error());
    node.put("accuracy", counts.count() == 0 ? Double.NaN : counts.accuracy());
    if (ofTwoClasses()) {
      counts.precision(POSITIVE).ifPresent(share -> node.put("precision", share));
      counts.recall(POSITIVE).ifPresent(share -> node.put("recall", share));
      counts.f1(POSITIVE).ifPresent(share -> node.put("f1", share));
    }
  }

  private void print(PrintWriter out) {
    List<Object> head = new ArrayList<>(List.of("", "loss", "calibration error", "accuracy"));
    if (ofTwoClasses()) {
      head.addAll(List.of("precision", "recall", "F1"));
    }
    Table table = new Table().row(head.toArray());
    row(table, "validation before", found.validation().before());
    row(table, "validation after", found.validation().after());
    row(table, "test before", found.test().before());
    row(table, "test after", found.test().after());
    table.print(out);
    out.println();
    out.printf(Locale.ROOT, "temperature  %.4f%n", decision().temperature());
    Double threshold = decision().threshold();
    if (threshold != null) {
      out.printf(
          Locale.ROOT,
          "threshold    %.6f of class '%s'%n",
          threshold,
          PlainText.of(found.model().classes().get(POSITIVE)));
    }
    out.printf("model        %s%n", PlainText.of(file.toString()));
  }

  private void row(Table table, String name, Calibration.Quality quality) {
    Confusion counts = quality.counts();
    boolean none = counts.count() == 0;
    List<Object> cells = new ArrayList<>(List.of(name));
    cells.add(none ? "-" : CountsTable.shown(quality.loss()));
    cells.add(none ? "-" : CountsTable.shown(quality.error()));
    cells.add(none ? "-" : CountsTable.shown(counts.accuracy()));
    if (ofTwoClasses()) {
      cells.add(CountsTable.shown(counts.precision(POSITIVE)));
      cells.add(CountsTable.shown(counts.recall(POSITIVE)));
      cells.add(CountsTable.shown(counts.f1(POSITIVE)));
    }
    table.row(cells.toArray());
  }
}
