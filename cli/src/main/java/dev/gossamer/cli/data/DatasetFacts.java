package dev.gossamer.cli.data;

import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.PlainText;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.graph.Components;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.matrix.CsrMatrix;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The facts about a data set that `dataset info` prints.
///
/// @param facts by name, in the order of the output
/// @param degrees their histogram
/// @param classes in the order of their numbers
record DatasetFacts(Map<String, Object> facts, DegreeFacts degrees, List<ClassSize> classes) {
  /// Classes that are printed by themselves.
  private static final int MOST_CLASSES = 20;

  /// Characters of the longest bar.
  private static final int BAR = 30;

  /// Java heap beside that of the data set: 8 bytes per vertex, 4 bytes per degree up to the
  /// largest.
  static DatasetFacts of(GraphData dataset, Progress progress) {
    CompletableFuture<String> fingerprint =
        CompletableFuture.supplyAsync(() -> Fingerprint.of(dataset));
    DegreeFacts degrees = DegreeFacts.of(dataset.adjacency());
    List<ClassSize> classes = ClassSize.of(dataset);
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("dataset", dataset.name());
    facts.put("vertices", dataset.vertices());
    facts.put("edges", dataset.edges());
    facts.put("directed", dataset.info().directed());
    facts.put("weighted", dataset.adjacency().values() != null);
    types(dataset, facts);
    times(dataset.times(), facts);
    EdgeFeatures ofEdges = dataset.edgeFeatures();
    if (ofEdges != null) {
      facts.put("edge_features", ofEdges.width());
    }
    facts.put("min_degree", degrees.least());
    facts.put("degree_quartiles", degrees.quartiles());
    facts.put("mean_degree", Math.round(100 * degrees.mean()) / 100.0);
    facts.put("max_degree", degrees.most());
    facts.put("isolated", degrees.isolated());
    Components components = Components.of(dataset.adjacency(), progress);
    facts.put("components", components.count());
    facts.put("largest_component", components.largest());
    facts.put("features", dataset.features().width());
    facts.put(
        "feature_kind",
        switch (dataset.features()) {
          case Features.Dense dense -> "dense";
          case Features.Sparse sparse -> "sparse, %,d nonzeros".formatted(sparse.x().nnz());
          case Features.None none -> "none";
        });
    facts.put("task", Choice.name(dataset.task()));
    facts.put(
        switch (dataset.task()) {
          case CLASSIFICATION -> "classes";
          case MULTI_LABEL -> "labels";
          case REGRESSION -> "numbers";
          case LINKS -> "embedding";
        },
        dataset.outputs());
    long known = IntStream.range(0, dataset.vertices()).filter(dataset::isKnown).count();
    labels(dataset, known, facts);
    facts.put("provenance", new TreeMap<>(dataset.info().provenance()));
    facts.put("fingerprint", fingerprint.join());
    return new DatasetFacts(facts, degrees, classes);
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

  /// The earliest and the latest edge.
  private static void times(@Nullable EdgeTimes times, Map<String, Object> facts) {
    if (times == null || times.count() == 0) {
      return;
    }
    double least = Double.POSITIVE_INFINITY;
    double most = Double.NEGATIVE_INFINITY;
    for (long e = 0; e < times.count(); e++) {
      least = Math.min(least, times.of(e));
      most = Math.max(most, times.of(e));
    }
    facts.put("edge_times", List.of(times.text(least), times.text(most)));
  }

  private static void labels(GraphData dataset, long labelled, Map<String, Object> facts) {
    facts.put("labelled", labelled);
    facts.put("unlabelled", dataset.vertices() - labelled);
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
    ObjectNode node = JsonOutput.object(facts);
    ArrayNode histogram = node.putArray("degree_histogram");
    for (DegreeFacts.Bin bin : degrees.bins()) {
      ObjectNode each = histogram.addObject();
      each.put("from", bin.from());
      each.put("to", bin.to());
      each.put("vertices", bin.vertices());
    }
    ArrayNode sizes = node.putArray("class_sizes");
    for (ClassSize size : classes) {
      ObjectNode each = sizes.addObject();
      each.put("class", size.name());
      each.put("vertices", size.vertices());
    }
    return JsonOutput.line(node);
  }

  /// Returns a copy with one more fact.
  DatasetFacts with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(facts);
    more.put(name, value);
    return new DatasetFacts(more, degrees, classes);
  }

  /// Prints one fact per line, with aligned values, then degrees and classes as tables.
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
    printDegrees(out);
    printClasses(out);
    out.flush();
  }

  private void printDegrees(PrintWriter out) {
    long vertices = degrees.bins().stream().mapToLong(DegreeFacts.Bin::vertices).sum();
    long most = degrees.bins().stream().mapToLong(DegreeFacts.Bin::vertices).max().orElse(0);
    Table table = new Table().row("degree", "to", "vertices", "share");
    for (DegreeFacts.Bin bin : degrees.bins()) {
      table.row(
          "%,d".formatted(bin.from()),
          "%,d".formatted(bin.to()),
          "%,d".formatted(bin.vertices()),
          share(bin.vertices(), vertices),
          bar(bin.vertices(), most));
    }
    out.println();
    table.print(out);
  }

  private void printClasses(PrintWriter out) {
    List<ClassSize> sorted = largestFirst();
    if (sorted.isEmpty()) {
      return;
    }
    long labelled = ClassSize.sum(sorted);
    long most = sorted.getFirst().vertices();
    int shown = sorted.size() <= MOST_CLASSES + 1 ? sorted.size() : MOST_CLASSES;
    Table table = new Table().row("class", "vertices", "share");
    for (ClassSize size : sorted.subList(0, shown)) {
      table.row(
          size.name(),
          "%,d".formatted(size.vertices()),
          share(size.vertices(), labelled),
          bar(size.vertices(), most));
    }
    if (shown < sorted.size()) {
      long others = ClassSize.sum(sorted.subList(shown, sorted.size()));
      table.row(
          "(%,d others)".formatted(sorted.size() - shown),
          "%,d".formatted(others),
          share(others, labelled));
    }
    out.println();
    table.print(out);
  }

  /// The classes by size; those of one size stay in the order of their numbers.
  List<ClassSize> largestFirst() {
    return classes.stream()
        .sorted(Comparator.comparingLong(ClassSize::vertices).reversed())
        .toList();
  }

  private static String share(long part, long whole) {
    return "%.1f %%".formatted(100.0 * part / Math.max(1, whole));
  }

  /// What is not empty has a mark.
  private static String bar(long part, long most) {
    return "#".repeat((int) Math.ceilDiv(BAR * part, Math.max(1, most)));
  }

  private static void line(PrintWriter out, String name, String value) {
    out.println("%-17s  %s".formatted(name, PlainText.of(value)));
  }

  static String text(Object value) {
    return switch (value) {
      case Boolean flag -> flag ? "yes" : "no";
      case Integer count -> "%,d".formatted(count);
      case Long count -> "%,d".formatted(count);
      case List<?> several ->
          several.stream().map(DatasetFacts::text).collect(Collectors.joining(", "));
      default -> String.valueOf(value);
    };
  }
}
