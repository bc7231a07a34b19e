package dev.gossamer.cli;

import java.io.PrintWriter;
import tools.jackson.databind.node.ObjectNode;

/// What a way of training has to say at the end of a run, beside scores and times.
interface RunFacts {
  /// As fields of the JSON object.
  void put(ObjectNode node);

  /// As lines under the table.
  void print(PrintWriter out);
}
