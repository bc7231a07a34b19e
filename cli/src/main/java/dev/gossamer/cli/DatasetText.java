package dev.gossamer.cli;

import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// A data set in two lines for people.
final class DatasetText {
  private DatasetText() {}

  static void print(GraphData dataset, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "data     %s  %,d vertices  %,d %sedges  %s  %,d classes%n",
        PlainText.of(dataset.name()),
        dataset.vertices(),
        dataset.edges(),
        dataset.info().directed() ? "directed " : "",
        features(dataset),
        dataset.classes());
    if (!dataset.info().provenance().isEmpty()) {
      out.printf(
          "         %s%n",
          dataset.info().provenance().entrySet().stream()
              .sorted(Map.Entry.comparingByKey())
              .map(e -> PlainText.of(e.getKey() + " " + e.getValue()))
              .collect(Collectors.joining(", ")));
    }
    out.flush();
  }

  static String features(GraphData dataset) {
    return switch (dataset.features()) {
      case Features.Dense dense -> "%,d features".formatted(dense.width());
      case Features.Sparse sparse ->
          "%,d sparse features (%,d nonzeros)".formatted(sparse.width(), sparse.x().nnz());
      case Features.None none -> "no features";
    };
  }
}
