package dev.gossamer.cli.data;

import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.PlainText;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.matrix.CsrMatrix;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/// The facts about a data set that `dataset info` prints.
///
/// @param facts by name, in the order of the output
record DatasetFacts(Map<String, Object> facts) {
  static DatasetFacts of(GraphData dataset) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("dataset", dataset.name());
    facts.put("vertices", dataset.vertices());
    facts.put("edges", dataset.edges());
    facts.put("directed", dataset.info().directed());
    facts.put("weighted", dataset.adjacency().values() != null);
    types(dataset, facts);
    degrees(dataset.adjacency(), facts);
    facts.put("features", dataset.features().width());
    facts.put(
        "feature_kind",
        switch (dataset.features()) {
          case Features.Dense dense -> "dense";
          case Features.Sparse sparse -> "sparse, %,d nonzeros".formatted(sparse.x().nnz());
          case Features.None none -> "none";
        });
    facts.put("classes", dataset.classes());
    labels(dataset, facts);
    facts.put("provenance", new TreeMap<>(dataset.info().provenance()));
    facts.put("fingerprint", Fingerprint.of(dataset));
    return new DatasetFacts(facts);
  }

  /// How many there are of each type.
  private static void types(GraphData dataset, Map<String, Object> facts) {
    GraphTypes types = dataset.types();
    if (types == null) {
      return;
    }
    Map<String, Long> vertices = new LinkedHashMap<>();
    types.vertices().forEach(type -> vertices.merge(type.name(), (long) type.count(), Long::sum));
    facts.put("vertex_types", vertices);
    Map<String, Long> edges = new LinkedHashMap<>();
    for (int t = 0; t < types.edges().size(); t++) {
      edges.merge(types.edges().get(t), types.count(t, dataset), Long::sum);
    }
    facts.put("edge_types", edges);
  }

  private static void degrees(CsrMatrix a, Map<String, Object> facts) {
    long most = 0;
    long isolated = 0;
    for (long v = 0; v < a.rows(); v++) {
      most = Math.max(most, a.rowLength(v));
      isolated += a.rowLength(v) == 0 ? 1 : 0;
    }
    facts.put("mean_degree", Math.round(100.0 * a.nnz() / Math.max(1, a.rows())) / 100.0);
    facts.put("max_degree", most);
    facts.put("isolated", isolated);
  }

  private static void labels(GraphData dataset, Map<String, Object> facts) {
    long labelled = 0;
    for (int label : dataset.labels()) {
      labelled += label == GraphData.UNLABELLED ? 0 : 1;
    }
    facts.put("labelled", labelled);
    for (Split part : new Split[] {Split.TRAIN, Split.VALIDATION, Split.TEST}) {
      long count = 0;
      for (byte code : dataset.split()) {
        count += code == part.code() ? 1 : 0;
      }
      facts.put(Choice.name(part), count);
    }
    homophily(dataset, facts);
  }

  /// Share of the edges between labelled vertices that join two of one class.
  private static void homophily(GraphData dataset, Map<String, Object> facts) {
    CsrMatrix a = dataset.adjacency();
    int[] labels = dataset.labels();
    long both = 0;
    long same = 0;
    for (int u = 0; u < labels.length; u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1) && labels[u] >= 0; e++) {
        int other = labels[a.column(e)];
        both += other >= 0 ? 1 : 0;
        same += other == labels[u] ? 1 : 0;
      }
    }
    if (both > 0) {
      facts.put("edge_homophily", Math.round(1000.0 * same / both) / 1000.0);
    }
  }

  String json() {
    return JsonOutput.line(JsonOutput.object(facts));
  }

  /// Returns a copy with one more fact.
  DatasetFacts with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(facts);
    more.put(name, value);
    return new DatasetFacts(more);
  }

  /// Prints one fact per line, with aligned values.
  void print(PrintWriter out) {
    facts.forEach((name, value) -> {
      if (value instanceof Map<?, ?> own) {
        String first = name;
        for (Map.Entry<?, ?> fact : own.entrySet()) {
          line(out, first.replace('_', ' '), fact.getKey() + " " + text(fact.getValue()));
          first = "";
        }
      } else {
        line(out, name.replace('_', ' '), text(value));
      }
    });
    out.flush();
  }

  private static void line(PrintWriter out, String name, String value) {
    out.println("%-14s  %s".formatted(name, PlainText.of(value)));
  }

  private static String text(Object value) {
    return switch (value) {
      case Boolean flag -> flag ? "yes" : "no";
      case Integer count -> "%,d".formatted(count);
      case Long count -> "%,d".formatted(count);
      default -> String.valueOf(value);
    };
  }
}
