package dev.gossamer.tables;

import dev.gossamer.graph.EdgeFeatureMeans;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The features of the edges: of rows that were merged into one edge, the means
/// ([EdgeFeatureMeans]). With several tables of edges, each has columns of its own, and a column
/// says whether an edge is in it. Encodings are fitted to all rows whose edges are in the graph:
/// edges have no parts when tables are read.
final class TableEdgeFeatures {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final TableStore store;
  private final GraphSchema schema;
  private final List<LoadedEdges> loaded;
  private final List<EdgeTable> tables;
  private final @Nullable EdgeFeatures features;

  /// Features that are not computed yet.
  ///
  /// @param loaded tables of the schema, in their order; read only if there are features
  TableEdgeFeatures(TableStore store, GraphSchema schema, List<LoadedEdges> loaded) {
    this(store, schema, loaded, schema.edges(), null);
  }

  private TableEdgeFeatures(
      TableStore store,
      GraphSchema schema,
      List<LoadedEdges> loaded,
      List<EdgeTable> tables,
      @Nullable EdgeFeatures features) {
    this.store = store;
    this.schema = schema;
    this.loaded = loaded;
    this.tables = tables;
    this.features = features;
  }

  /// Whether a table of edges has features.
  static boolean has(GraphSchema schema) {
    return schema.edges().stream().anyMatch(table -> !table.features().isEmpty());
  }

  /// The rows of a source with their numbers, as they stand behind `FROM`.
  static String numbered(String relation) {
    return "(SELECT row_number() OVER () - 1 AS %s, * FROM %s)"
        .formatted(ColumnValues.ROW, relation);
  }

  /// The columns of [LoadedEdges] beside the ends, as they follow others.
  static String columns(EdgeTable table, SourceRows found) {
    List<String> names = List.copyOf(table.features().keySet());
    return IntStream.range(0, names.size())
        .mapToObj(i -> ", %s AS f%d".formatted(found.column(names.get(i)).sql(), i))
        .collect(Collectors.joining("", ", " + ColumnValues.ROW, ""));
  }

  /// The tables of the schema; their encodings are fitted after [#fittedTo].
  List<EdgeTable> tables() {
    return tables;
  }

  /// The features; null if there are none.
  @Nullable EdgeFeatures features() {
    return features;
  }

  /// A table, and the entry of `A` of each of its rows: -1 if it is not in the graph.
  ///
  /// @param view of the columns
  /// @param entries of all rows of the source
  private record Placed(LoadedEdges table, String view, MemorySegment entries) {
    long entry(long row) {
      return entries.getAtIndex(LONG, row);
    }

    long rows() {
      return entries.byteSize() / Long.BYTES;
    }
  }

  /// Fits the encodings and computes the features.
  ///
  /// @param arena owner of the features
  /// @param a `A`
  TableEdgeFeatures fittedTo(Arena arena, CsrMatrix a) {
    if (!has(schema)) {
      return this;
    }
    try (Arena temporary = Arena.ofShared()) {
      List<Placed> placed = new ArrayList<>();
      List<EdgeTable> fitted = new ArrayList<>();
      for (int i = 0; i < loaded.size(); i++) {
        Placed table = placed(temporary, a, loaded.get(i), "f" + i);
        placed.add(table);
        fitted.add(loaded.get(i).table().withFeatures(fitted(table)));
      }
      EdgeFeatures found = features(arena, a, placed, fitted);
      loaded.forEach(table -> table.parts().forEach(part -> store.run("DROP TABLE " + part)));
      return new TableEdgeFeatures(store, schema, loaded, fitted, found);
    }
  }

  private Placed placed(Arena temporary, CsrMatrix a, LoadedEdges table, String view) {
    store.step("finding the edges of " + table.table().name());
    long rows = 0;
    for (String part : table.parts()) {
      long last =
          store.number(
              "SELECT coalesce(max(%s), -1)::BIGINT FROM %s".formatted(ColumnValues.ROW, part));
      rows = Math.max(rows, last + 1);
    }
    MemorySegment entries = temporary.allocate(rows * Long.BYTES, DenseMatrix.ALIGNMENT);
    entries.fill((byte) -1);
    for (String part : table.parts()) {
      store.forEach(
          "SELECT %s, f.n, g.n FROM %s AS e JOIN ids AS f ON f.id = e.s JOIN ids AS g ON g.id = e.t"
              .formatted(ColumnValues.ROW, part),
          row ->
              entries.setAtIndex(
                  LONG,
                  row.getLong(1),
                  EdgeFeatureMeans.entry(a, schema.directed(), row.getInt(2), row.getInt(3))));
    }
    if (!table.table().features().isEmpty()) {
      table.nameColumns(view);
    }
    return new Placed(table, view, entries);
  }

  private Map<String, FittedEncoding> fitted(Placed placed) {
    Map<String, FittedEncoding> fitted = new LinkedHashMap<>();
    LoadedEdges table = placed.table();
    table
        .table()
        .features()
        .forEach((column, encoding) -> {
          store.step("fitting " + column);
          ColumnValues values = table.values(placed.view(), column);
          fitted.put(column, new EncodingFit(values, row -> placed.entry(row) >= 0).of(encoding));
        });
    return fitted;
  }

  private EdgeFeatures features(
      Arena arena, CsrMatrix a, List<Placed> placed, List<EdgeTable> fitted) {
    List<String> names = names(fitted);
    boolean several = fitted.size() > 1;
    int first = 0;
    try (EdgeFeatureMeans means = new EdgeFeatureMeans(arena, a, schema.directed(), names.size())) {
      for (int t = 0; t < fitted.size(); t++) {
        Placed table = placed.get(t);
        for (long row = 0; row < table.rows(); row++) {
          means.add(table.entry(row));
        }
        int begin = first;
        for (Map.Entry<String, Encoding> each : fitted.get(t).features().entrySet()) {
          first += encode(table, each.getKey(), (FittedEncoding) each.getValue(), first, means);
        }
        if (several) {
          means.mark(names.size() - fitted.size() + t);
        }
        means.endGroup(begin, first);
      }
      return new EdgeFeatures(means.features(), names);
    }
  }

  /// Adds the features of a column.
  ///
  /// @return their number
  private int encode(
      Placed placed, String column, FittedEncoding fitted, int first, EdgeFeatureMeans means) {
    store.step("encoding " + column);
    ColumnEncoder encoder = Encoders.of(column, fitted);
    encoder.encode(
        placed.table().values(placed.view(), column),
        (row, feature, value) -> means.add(placed.entry(row), first + feature, value));
    return encoder.names().size();
  }

  private static List<String> names(List<EdgeTable> fitted) {
    List<String> names = new ArrayList<>();
    boolean several = fitted.size() > 1;
    for (EdgeTable table : fitted) {
      String prefix = several ? table.name() + "." : "";
      table
          .features()
          .forEach((column, encoding) ->
              Encoders.of(column, (FittedEncoding) encoding)
                  .names()
                  .forEach(name -> names.add(prefix + name)));
    }
    if (several) {
      fitted.forEach(table -> names.add("is " + table.name()));
    }
    return names;
  }
}
