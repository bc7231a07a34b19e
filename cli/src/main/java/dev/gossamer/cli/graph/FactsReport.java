package dev.gossamer.cli.graph;

import java.io.PrintWriter;
import tools.jackson.databind.node.ObjectNode;

/// What was measured in a training beside its epochs, as text or JSON.
interface FactsReport {
  /// Adds it to the result of a run.
  void put(ObjectNode node);

  /// Prints it under the table of scores.
  void print(PrintWriter out);
}
