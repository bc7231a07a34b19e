package dev.gossamer.cli.graph;

import dev.gossamer.cli.terminal.Table;
import dev.gossamer.run.ClassCounts;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Precision, recall and F1 of each class or label, as a table and in JSON.
///
/// @param part of the data
/// @param names of the classes or labels
/// @param counts right and wrong predictions
record CountsTable(String part, List<String> names, ClassCounts counts) {
  /// @param key of a name: `class`
  void put(ArrayNode rows, String key) {
    for (int c = 0; c < names.size(); c++) {
      ObjectNode row = rows.addObject();
      row.put(key, names.get(c));
      row.put("vertices", counts.support(c));
      counts.precision(c).ifPresent(share -> row.put("precision", share));
      counts.recall(c).ifPresent(share -> row.put("recall", share));
      counts.f1(c).ifPresent(share -> row.put("f1", share));
    }
  }

  /// @param listed numbers of the classes that the table has
  Table table(int... listed) {
    Table table = new Table().row(part, "precision", "recall", "F1", "vertices");
    for (int c : listed) {
      table.row(
          names.get(c),
          shown(counts.precision(c)),
          shown(counts.recall(c)),
          shown(counts.f1(c)),
          "%,d".formatted(counts.support(c)));
    }
    return table;
  }

  static String shown(OptionalDouble share) {
    return share.isEmpty() ? "-" : shown(share.getAsDouble());
  }

  static String shown(double share) {
    return String.format(Locale.ROOT, "%.4f", share);
  }
}
