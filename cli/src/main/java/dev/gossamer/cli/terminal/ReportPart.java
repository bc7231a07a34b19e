package dev.gossamer.cli.terminal;

import java.io.PrintWriter;
import tools.jackson.databind.node.ObjectNode;

/// What a command reports beside its result, because a flag asks for it.
public interface ReportPart {
  /// Returns the name of its object in JSON.
  String key();

  /// Adds the fields of that object.
  void put(ObjectNode node);

  /// Prints it below the result.
  void print(PrintWriter out);
}
