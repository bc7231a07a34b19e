package dev.gossamer.cli;

import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetDraft;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
    Map<String, String> facts = new TreeMap<>(dataset.info().provenance());
    String merged = facts.remove(DatasetDraft.MERGED);
    String dropped = facts.remove(DatasetDraft.DROPPED);
    String origin =
        facts.entrySet().stream()
            .map(fact -> fact.getKey() + " " + fact.getValue())
            .collect(Collectors.joining(", "));
    line(out, "", origin.isEmpty() ? null : origin);
    line(out, DatasetDraft.MERGED + " ", merged);
    line(out, DatasetDraft.DROPPED + " ", dropped);
    out.flush();
  }

  private static void line(PrintWriter out, String what, @Nullable String value) {
    if (value != null) {
      out.println("         " + what + PlainText.of(value));
    }
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
