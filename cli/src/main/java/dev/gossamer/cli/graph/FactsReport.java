package dev.gossamer.cli.graph;

import java.io.PrintWriter;
import tools.jackson.databind.node.ObjectNode;

/// Prints measurements of a training, other than those of its epochs, as text or JSON.
interface FactsReport {
  /// Adds them to the result of a run.
  void put(ObjectNode node);

  /// Prints them below the table of scores.
  void print(PrintWriter out);
}
