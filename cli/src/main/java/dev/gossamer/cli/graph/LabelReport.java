package dev.gossamer.cli.graph;

import dev.gossamer.LabelEvaluation;
import dev.gossamer.run.LabelCounts;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.IntStream;
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

  private CountsTable table() {
    return new CountsTable(part, labels, counts);
  }

  void put(ObjectNode node) {
    table().put(node.putArray(part + "_labels"), "label");
  }

  void print(PrintWriter out) {
    out.println();
    table().table(IntStream.range(0, labels.size()).toArray()).print(out);
  }
}
