package dev.gossamer.cli.graph;

import dev.gossamer.ClassEvaluation;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.graph.Split;
import dev.gossamer.run.Confusion;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Scores and confusion of the classes on a part of the data.
///
/// @param part its name
/// @param classes name of each class
/// @param counts labels and predictions
record ClassReport(String part, List<String> classes, Confusion counts) {
  /// Of more classes a matrix is wider than terminals are.
  private static final int MOST_COLUMNS = 12;

  /// Returns the report of the last part with vertices: the test part, if it has any.
  static ClassReport ofLastPart(ClassEvaluation found) {
    Split last = found.lastPart();
    return new ClassReport(Choice.name(last), found.classes(), found.counts(last));
  }

  private CountsTable table() {
    return new CountsTable(part, classes, counts);
  }

  void put(ObjectNode node) {
    table().put(node.putArray(part + "_classes"), "class");
    ArrayNode matrix = node.putArray(part + "_confusion");
    for (int c = 0; c < classes.size(); c++) {
      ArrayNode line = matrix.addArray();
      for (int p = 0; p < classes.size(); p++) {
        line.add(counts.count(c, p));
      }
    }
    node.put(part + "_average_precision", counts.average(counts::precision));
    node.put(part + "_average_recall", counts.average(counts::recall));
    node.put(part + "_average_f1", counts.average(counts::f1));
  }

  void print(PrintWriter out) {
    int[] occurring =
        IntStream.range(0, classes.size())
            .filter(c -> counts.support(c) + counts.predicted(c) > 0)
            .toArray();
    Table table = table().table(occurring);
    table.row(
        "average",
        CountsTable.shown(counts.average(counts::precision)),
        CountsTable.shown(counts.average(counts::recall)),
        CountsTable.shown(counts.average(counts::f1)),
        "%,d".formatted(counts.count()));
    out.println();
    table.print(out);
    out.println();
    if (occurring.length > MOST_COLUMNS) {
      out.printf("--json has the confusion matrix of the %d classes%n", occurring.length);
    } else {
      matrix(occurring).print(out);
    }
  }

  private Table matrix(int[] occurring) {
    List<Object> head = new ArrayList<>(List.of("predicted as"));
    for (int c : occurring) {
      head.add(classes.get(c));
    }
    Table table = new Table().row(head.toArray());
    for (int label : occurring) {
      List<Object> row = new ArrayList<>(List.of(classes.get(label)));
      for (int c : occurring) {
        row.add("%,d".formatted(counts.count(label, c)));
      }
      table.row(row.toArray());
    }
    return table;
  }
}
