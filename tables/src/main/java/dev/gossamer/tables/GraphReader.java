package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Resources;
import dev.gossamer.base.io.Sha256;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.format.DatasetDraft;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads a graph by its schema.
///
/// Vertices are rows of the tables `v0`, `v1`, ... of the store, and ids of `ids (id, n)`. Edges
/// become arcs of a file as they are read; if some do not fit, they are rows of `e0`, `e1`, ...
/// `(s, t, w, m)` first, with ids, weights and times. So are they if they have features, of which
/// these tables have the columns, too ([TableEdgeFeatures]).
final class GraphReader {
  private static final String EXAMPLES = " ORDER BY 1 LIMIT 3";

  private final TableStore store;
  private final SourceReader sources;
  private final GraphSchema schema;
  private final List<LoadedVertices> tables = new ArrayList<>();
  private final List<EdgeRows> edges = new ArrayList<>();
  private final List<ImportReport.Rows> rows = new ArrayList<>();
  private String keyType = "BIGINT";
  private long duplicates;
  private long missing;
  private long dangling;
  private long selfLoops;

  /// The rows of one type of edges.
  ///
  /// @param type its name
  /// @param table of the rows
  /// @param found the table's rows
  /// @param selected condition on the rows that are of this type; empty if all are
  /// @param time of the rows; null if it is not known
  private record EdgeRows(
      String type,
      EdgeTable table,
      SourceRows found,
      String selected,
      @Nullable EdgeTimeColumn time) {}

  GraphReader(TableStore store, Path base, GraphSchema schema) {
    this.store = store;
    this.schema = schema;
    sources = new SourceReader(store, base);
  }

  TableGraph read() {
    List<SourceRows> vertices =
        schema.vertices().stream()
            .map(table -> found(table.source(), table.name(), ColumnRoles.of(table, schema)))
            .toList();
    schema.edges().forEach(this::find);
    requireDifferentTypes();
    requireOneUnit();
    for (int i = 0; i < vertices.size(); i++) {
      load(schema.vertices().get(i), vertices.get(i), "v" + i);
    }
    numberVertices();
    try (ArcFile arcs = ArcFile.create(store.temporary("arcs"), columns(), store::at)) {
      int added = 0;
      if (!joinAtOnce(arcs)) {
        for (int i = 0; i < edges.size(); i++) {
          load(edges.get(i), "e" + i);
        }
        added = addDangling();
        join(arcs);
      }
      int last = added;
      return Resources.handedOver(Arena.ofShared(), arena -> graph(arena, arcs, last));
    }
  }

  /// Finds a source. Ids are compared as numbers if all are integers of 64 bits, and otherwise as
  /// texts.
  private SourceRows found(TableSource source, String name, ColumnRoles roles) {
    SourceRows found = sources.rows(source, "source_" + name, roles);
    for (String key : roles.keys()) {
      if (!found.column(key).isLong()) {
        keyType = "VARCHAR";
      }
    }
    return found;
  }

  /// Finds the edges of a table, by their types.
  private void find(EdgeTable table) {
    SourceRows found = found(table.source(), table.name(), ColumnRoles.of(table));
    String column = table.time();
    EdgeTimeColumn time = column == null ? null : EdgeTimeColumn.of(store, found, column);
    String type = table.type();
    if (type == null) {
      edges.add(new EdgeRows(table.name(), table, found, "", time));
      return;
    }
    String value = "CAST(%s AS VARCHAR)".formatted(found.column(type).sql());
    for (String each : types(table, found, value)) {
      String selected = " WHERE %s = %s".formatted(value, TableStore.literal(each));
      edges.add(new EdgeRows(each, table, found, selected, time));
    }
  }

  /// The values of a column of types.
  private List<String> types(EdgeTable table, SourceRows found, String value) {
    store.step("types of " + table.name());
    String counted = "types_" + edges.size();
    found.run(
        store,
        relation ->
            "CREATE TABLE %s AS SELECT %s AS k, count(*) AS c FROM %s GROUP BY 1"
                .formatted(counted, value, relation));
    long without =
        store.number(
            "SELECT coalesce(sum(c), 0)::BIGINT FROM %s WHERE k IS NULL".formatted(counted));
    if (without > 0 && schema.handling().missing() == Handling.Missing.REFUSE) {
      throw new InvalidInputException(
          "%s: column %s: expected a type of every edge, found %s without; on-missing: drop leaves them out"
              .formatted(found.where(), table.type(), DatasetDraft.counted(without, "row")));
    }
    missing += without;
    List<String> values =
        store.texts(
            "SELECT k FROM %s WHERE k IS NOT NULL ORDER BY k LIMIT %d"
                .formatted(counted, GraphTypes.MOST_EDGES + 1));
    store.run("DROP TABLE " + counted);
    List<String> known = table.types();
    if ((values.isEmpty() && known.isEmpty()) || values.size() > GraphTypes.MOST_EDGES) {
      throw new InvalidInputException(
          "%s: column %s: expected 1 to %d types of edges, found %s; join some by a query"
              .formatted(
                  found.where(),
                  table.type(),
                  GraphTypes.MOST_EDGES,
                  values.isEmpty() ? "none" : "more"));
    }
    if (known.isEmpty()) {
      return values;
    }
    values.stream()
        .filter(each -> !known.contains(each))
        .findFirst()
        .ifPresent(other -> {
          throw new InvalidInputException(
              "%s: column %s: expected one of the types %s, found '%s'"
                  .formatted(found.where(), table.type(), String.join(", ", known), other));
        });
    return known;
  }

  private void requireDifferentTypes() {
    if (edges.size() > GraphTypes.MOST_EDGES) {
      throw new InvalidInputException(
          "%s: expected at most %d types of edges, found %d; join some by a query"
              .formatted(schema.name(), GraphTypes.MOST_EDGES, edges.size()));
    }
    Set<String> names = new HashSet<>();
    for (EdgeRows each : edges) {
      if (!names.add(each.type())) {
        throw new InvalidInputException(
            "%s: expected types of edges of different names, found two of '%s'"
                .formatted(schema.name(), each.type()));
      }
    }
  }

  private List<EdgeTimes.Unit> units() {
    return edges.stream()
        .map(EdgeRows::time)
        .filter(Objects::nonNull)
        .map(EdgeTimeColumn::unit)
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  private void requireOneUnit() {
    if (units().size() > 1) {
      throw new InvalidInputException(
          "%s: expected times of all edges to be dates, or all to be numbers, found both; convert those of a table by a query, or leave times out"
              .formatted(schema.name()));
    }
  }

  private String key(String column) {
    return "CAST(%s AS %s)".formatted(TableStore.quoted(column), keyType);
  }

  private void load(VertexTable table, SourceRows found, String name) {
    store.step("reading " + table.name());
    String where = found.where();
    found.run(
        store,
        relation ->
            "CREATE TABLE %s AS SELECT row_number() OVER () - 1 AS %s, * FROM %s"
                .formatted(name, ColumnValues.ROW, relation));
    rows.add(new ImportReport.Rows(table.name(), store.number("SELECT count(*) FROM " + name)));
    String id = key(table.id());
    long without = store.number("SELECT count(*) FROM %s WHERE %s IS NULL".formatted(name, id));
    if (without > 0 && schema.handling().missing() == Handling.Missing.REFUSE) {
      throw new InvalidInputException(
          "%s: column %s: expected an id in every row, found %s without (%s); on-missing: drop leaves them out"
              .formatted(
                  where,
                  table.id(),
                  DatasetDraft.counted(without, "row"),
                  rowExamples(
                      "SELECT %s + 1 FROM %s WHERE %s IS NULL"
                          .formatted(ColumnValues.ROW, name, id))));
    }
    missing += without;
    long twice =
        store.number("SELECT count(%1$s) - count(DISTINCT %1$s) FROM %2$s".formatted(id, name));
    if (twice > 0 && schema.handling().duplicates() == Handling.Duplicates.REFUSE) {
      throw new InvalidInputException(
          "%s: column %s: expected each id once, found %s with the id of an earlier row (ids %s); on-duplicate: first keeps the first of each"
              .formatted(
                  where,
                  table.id(),
                  DatasetDraft.counted(twice, "row"),
                  examples(
                      "SELECT %1$s FROM %2$s WHERE %1$s IS NOT NULL GROUP BY 1 HAVING count(*) > 1"
                          .formatted(id, name))));
    }
    duplicates += twice;
    if (without + twice > 0) {
      store.run(
          ("CREATE OR REPLACE TABLE %1$s AS SELECT * REPLACE (row_number() OVER (ORDER BY %2$s) - 1 AS %2$s) FROM"
                  + " (SELECT * FROM %1$s WHERE %3$s IS NOT NULL QUALIFY row_number() OVER (PARTITION BY %3$s ORDER BY %2$s) = 1)")
              .formatted(name, ColumnValues.ROW, id));
    }
    long count = store.number("SELECT count(*) FROM " + name);
    long first = tables.isEmpty() ? 0 : (long) tables.getLast().first() + tables.getLast().count();
    if (first + count > Integer.MAX_VALUE) {
      throw new InvalidInputException(
          "%s: expected at most %d vertices, found %d"
              .formatted(where, Integer.MAX_VALUE, first + count));
    }
    tables.add(
        new LoadedVertices(
            store, table, name, store.columns(name, where), (int) first, (int) count));
  }

  private String examples(String sql) {
    return String.join(", ", store.texts(sql + EXAMPLES));
  }

  private String rowExamples(String sql) {
    return "rows " + examples(sql);
  }

  /// Numbers the ids of all tables.
  private void numberVertices() {
    store.step("numbering vertices");
    store.run("CREATE TABLE ids (id %s, n INTEGER)".formatted(keyType));
    if (tables.isEmpty()) {
      return;
    }
    store.run(
        tables.stream()
            .map(loaded ->
                "SELECT %s AS id, CAST(%s + %d AS INTEGER) AS n FROM %s"
                    .formatted(
                        key(loaded.table().id()), ColumnValues.ROW, loaded.first(), loaded.name()))
            .collect(Collectors.joining(" UNION ALL ", "INSERT INTO ids ", "")));
    if (tables.size() > 1) {
      List<String> shared =
          store.texts("SELECT id FROM ids GROUP BY id HAVING count(*) > 1" + EXAMPLES);
      if (!shared.isEmpty()) {
        throw new InvalidInputException(
            "%s: expected ids that differ between tables of vertices, found some in two (%s); add the name of the table to the id by a query"
                .formatted(schema.name(), String.join(", ", shared)));
      }
    }
  }

  /// Reads edges and joins them with vertices in one pass, which keeps neither ids nor rows.
  ///
  /// @return whether all rows fit; if not, or if rows that do not fit are not refused, nothing is
  ///   kept, and they are read and joined step by step
  private boolean joinAtOnce(ArcFile arcs) {
    Handling handling = schema.handling();
    if (TableEdgeFeatures.has(schema)
        || handling.dangling() != Handling.Dangling.REFUSE
        || handling.missing() != Handling.Missing.REFUSE) {
      return false;
    }
    if (!haveNumericIds()) {
      new ArcFunction(arcs, ArcFunction.Numbers.SAME).register(store, "arc_at_once");
      store.joinAsWritten(true);
      try {
        return joinAtOnce(arcs, GraphReader::joined);
      } finally {
        store.joinAsWritten(false);
      }
    }
    try (IdNumbers numbers = numbers()) {
      new ArcFunction(arcs, numbers).register(store, "arc_at_once");
      return joinAtOnce(arcs, this::numeric);
    }
  }

  /// @param query of ends of arcs, weights and times, from one of ids
  private boolean joinAtOnce(ArcFile arcs, UnaryOperator<String> query) {
    List<ImportReport.Rows> read = new ArrayList<>();
    long loops = 0;
    for (EdgeRows each : edges) {
      store.step("reading " + each.type());
      String ends = ends(each, each.found().relation());
      try {
        ArcFunction.Taken taken =
            ArcFunction.take(store, "arc_at_once", query.apply(ends), each.found().where());
        if (taken.unfit() > 0) {
          arcs.clear();
          return false;
        }
        loops += taken.loops();
        read.add(new ImportReport.Rows(each.type(), taken.rows()));
      } catch (InvalidInputException e) {
        // The steps say what does not fit.
        arcs.clear();
        return false;
      }
      arcs.endTable();
    }
    rows.addAll(read);
    selfLoops = loops;
    return true;
  }

  /// Whether all ids are whole numbers, written in the usual way.
  private boolean haveNumericIds() {
    return keyType.equals("BIGINT")
        || store.number(
                "SELECT count(*) FROM ids WHERE TRY_CAST(id AS BIGINT)::VARCHAR IS DISTINCT FROM id")
            == 0;
  }

  private IdNumbers numbers() {
    IdNumbers numbers = new IdNumbers(store.number("SELECT count(*) FROM ids"));
    store.forEach(
        "SELECT id::BIGINT, n FROM ids", row -> numbers.add(row.getLong(1), row.getInt(2)));
    return numbers;
  }

  /// Ends that are written otherwise than whole numbers are no ids: `007` is not `7`.
  private String numeric(String ends) {
    if (keyType.equals("BIGINT")) {
      return ends;
    }
    String number =
        "CASE WHEN TRY_CAST(%1$s AS BIGINT)::VARCHAR = %1$s THEN TRY_CAST(%1$s AS BIGINT) END AS %1$s";
    return "SELECT %s, %s, w, m FROM (%s)"
        .formatted(number.formatted("s"), number.formatted("t"), ends);
  }

  private static String joined(String ends) {
    return "SELECT f.n AS s, g.n AS t, w, m FROM (%s) AS e LEFT JOIN ids AS f ON f.id = e.s LEFT JOIN ids AS g ON g.id = e.t"
        .formatted(ends);
  }

  /// The ids of the ends of edges, their weights and their times.
  private String ends(EdgeRows edges, String relation) {
    EdgeTable table = edges.table();
    SourceRows found = edges.found();
    String weight = table.weight() == null ? "1" : TableStore.quoted(table.weight());
    if (table.weight() != null) {
      Column column = found.column(table.weight());
      if (!column.isNumeric() && found.hasValues(store, column)) {
        throw new InvalidInputException(
            "%s: column %s: expected numbers as weights, found %s"
                .formatted(found.where(), column.name(), column.type()));
      }
    }
    EdgeTimeColumn time = edges.time();
    boolean featured = TableEdgeFeatures.has(schema);
    return "SELECT %s AS s, %s AS t, CAST(%s AS FLOAT) AS w, %s AS m%s FROM %s%s"
        .formatted(
            key(table.from()),
            key(table.to()),
            weight,
            time == null ? "0::DOUBLE" : time.sql(),
            featured ? TableEdgeFeatures.columns(table, found) : "",
            featured ? TableEdgeFeatures.numbered(relation) : relation,
            edges.selected());
  }

  private void load(EdgeRows some, String name) {
    EdgeTable table = some.table();
    SourceRows found = some.found();
    store.step("reading " + some.type());
    found.run(store, relation -> "CREATE TABLE %s AS %s".formatted(name, ends(some, relation)));
    rows.add(new ImportReport.Rows(some.type(), store.number("SELECT count(*) FROM " + name)));
    long without =
        store.number("SELECT count(*) FROM %s WHERE s IS NULL OR t IS NULL".formatted(name));
    if (without > 0 && schema.handling().missing() == Handling.Missing.REFUSE) {
      throw new InvalidInputException(
          "%s: columns %s and %s: expected both ends of every edge, found %s without (such as %s); on-missing: drop leaves them out"
              .formatted(
                  found.where(),
                  table.from(),
                  table.to(),
                  DatasetDraft.counted(without, "row"),
                  examples(
                      "SELECT DISTINCT coalesce(s::VARCHAR, 'none') || ' to ' || coalesce(t::VARCHAR, 'none') FROM %s WHERE s IS NULL OR t IS NULL"
                          .formatted(name))));
    }
    missing += without;
    if (without > 0) {
      store.run("DELETE FROM %s WHERE s IS NULL OR t IS NULL".formatted(name));
    }
    if (table.weight() != null) {
      long bad =
          store.number(
              "SELECT count(*) FROM %s WHERE w IS NULL OR NOT isfinite(w)".formatted(name));
      if (bad > 0) {
        throw new InvalidInputException(
            "%s: column %s: expected a finite weight of every edge, found %d without"
                .formatted(found.where(), table.weight(), bad));
      }
    }
    requireTimes(some, name);
  }

  private void requireTimes(EdgeRows some, String name) {
    EdgeTimeColumn time = some.time();
    String untimed = "FROM %s WHERE m IS NULL OR NOT isfinite(m)".formatted(name);
    long without = time == null ? 0 : store.number("SELECT count(*) " + untimed);
    if (time != null && without > 0) {
      time.requireReadable(store, without, some.selected(), schema.handling().missing());
      missing += without;
      store.run("DELETE " + untimed);
    }
  }

  /// Refuses, leaves out or adds the ends that are in no table.
  ///
  /// @return vertices that were added to those of tables
  private int addDangling() {
    if (tables.isEmpty()) {
      addVertices(IntStream.range(0, edges.size()).mapToObj(i -> ends("e" + i)).toList());
      return 0;
    }
    Handling.Dangling handling = schema.handling().dangling();
    List<String> adds = new ArrayList<>();
    for (int i = 0; i < edges.size(); i++) {
      String name = "e" + i;
      String ends =
          "SELECT k FROM (%s) WHERE NOT EXISTS (SELECT 1 FROM ids WHERE ids.id = k)"
              .formatted(ends(name));
      List<String> examples = store.texts("SELECT DISTINCT k FROM (" + ends + ")" + EXAMPLES);
      if (examples.isEmpty()) {
        continue;
      }
      long count =
          store.number(
              "SELECT count(*) FROM %s WHERE s NOT IN (SELECT id FROM ids) OR t NOT IN (SELECT id FROM ids)"
                  .formatted(name));
      if (handling == Handling.Dangling.REFUSE) {
        throw new InvalidInputException(
            "%s: expected ends of edges among the ids of vertices, found %s with others (such as %s); on-dangling: drop leaves the edges out, add makes them vertices"
                .formatted(
                    edges.get(i).table().source().text(),
                    DatasetDraft.counted(count, "edge"),
                    String.join(", ", examples)));
      }
      dangling += count;
      adds.add(ends);
    }
    return handling == Handling.Dangling.ADD && !adds.isEmpty() ? addVertices(adds) : 0;
  }

  private static String ends(String edges) {
    return "SELECT s AS k FROM %1$s UNION ALL SELECT t FROM %1$s".formatted(edges);
  }

  /// Numbers ends of edges, in the order of their ids, after the ids that there are.
  ///
  /// @param ends queries of ids
  /// @return vertices
  private int addVertices(List<String> ends) {
    long before = store.number("SELECT count(*) FROM ids");
    store.run(
        "CREATE TABLE added AS SELECT k, CAST(%d + row_number() OVER (ORDER BY k) - 1 AS INTEGER) AS n FROM (SELECT DISTINCT k FROM (%s))"
            .formatted(before, String.join(" UNION ALL ", ends)));
    store.run("INSERT INTO ids SELECT k, n FROM added");
    return (int) store.number("SELECT count(*) FROM added");
  }

  private void join(ArcFile arcs) {
    store.step("joining edges with vertices");
    new ArcFunction(arcs, ArcFunction.Numbers.SAME).register(store, "arc");
    for (int i = 0; i < edges.size(); i++) {
      String name = "e" + i;
      selfLoops +=
          ArcFunction.take(
                  store,
                  "arc",
                  "SELECT f.n AS s, g.n AS t, w, m FROM %s AS e JOIN ids AS f ON f.id = e.s JOIN ids AS g ON g.id = e.t"
                      .formatted(name),
                  name)
              .loops();
      arcs.endTable();
      if (!TableEdgeFeatures.has(schema)) {
        store.run("DROP TABLE " + name);
      }
    }
  }

  private boolean isWeighted() {
    return schema.edges().stream().anyMatch(table -> table.weight() != null);
  }

  private ArcFile.Columns columns() {
    return new ArcFile.Columns(isWeighted(), edges.stream().anyMatch(each -> each.time() != null));
  }

  private @Nullable EdgeTimes times(Arena arena, ArcFile arcs, CsrMatrix adjacency) {
    if (!arcs.columns().time()) {
      return null;
    }
    store.step("times of edges");
    return EdgeTimes.earliest(
        arena,
        units().stream().findFirst().orElse(EdgeTimes.Unit.DATES),
        adjacency,
        schema.directed(),
        sink ->
            arcs.forEach((type, source, target, weight, time) -> sink.arc(source, target, time)));
  }

  private TableGraph graph(Arena arena, ArcFile arcs, int added) {
    store.step("building the graph");
    int vertices = (int) store.number("SELECT count(*) FROM ids");
    CsrMatrix adjacency =
        new CsrBuilder(vertices, !schema.directed(), schema.directed(), isWeighted())
            .build(arena, arcs);
    GraphTypes types =
        new TableTypes(store, tables, edgeTypes(), schema.directed(), arcs)
            .of(arena, adjacency, added);
    EdgeTimes times = times(arena, arcs, adjacency);
    TableLabels labels = new TableLabels(store, schema, tables);
    GraphData.Info info = GraphData.Info.of(schema.name());
    GraphData graph =
        GraphData.of(arena, schema.directed() ? info.asDirected() : info, adjacency)
            .withVertexNames(names());
    GraphData bare = labels.addTo(graph, arena);
    GraphData split = bare.withSplit(labels.split(bare));
    TableFeatures features = TableFeatures.fitted(store, schema, tables, split);
    TableEdgeFeatures ofEdges =
        new TableEdgeFeatures(store, schema, loadedEdges()).fittedTo(arena, adjacency);
    GraphData whole =
        features
            .addTo(split, arena, added)
            .withTypes(types)
            .withTimes(times)
            .withEdgeFeatures(ofEdges.features());
    long merged =
        schema.directed() ? arcs.size() - adjacency.nnz() : arcs.size() - selfLoops - whole.edges();
    GraphSchema result =
        schema
            .withTables(features.tables(), typedEdges(ofEdges.tables()))
            .withClasses(whole.outputNames())
            .withoutSources();
    return new TableGraph(
        whole.withInfo(
            whole
                .info()
                .withProvenance(provenance(merged, whole, features.tables(), ofEdges.tables()))
                .withSchema(SchemaFile.json(result))),
        new ImportReport(rows, dangling, duplicates, missing, selfLoops, merged),
        result);
  }

  private List<String> edgeTypes() {
    return edges.stream().map(EdgeRows::type).toList();
  }

  /// The tables of edges in the store.
  private List<LoadedEdges> loadedEdges() {
    return schema.edges().stream()
        .map(table -> {
          List<String> parts =
              IntStream.range(0, edges.size())
                  .filter(i -> edges.get(i).table().equals(table))
                  .mapToObj(i -> "e" + i)
                  .toList();
          SourceRows found =
              edges.stream()
                  .filter(each -> each.table().equals(table))
                  .findFirst()
                  .orElseThrow()
                  .found();
          return new LoadedEdges(store, table, found, parts);
        })
        .toList();
  }

  /// The tables of edges with the types that were found.
  ///
  /// @param fitted the tables of the schema, in their order
  private List<EdgeTable> typedEdges(List<EdgeTable> fitted) {
    List<EdgeTable> typed = new ArrayList<>();
    for (int i = 0; i < fitted.size(); i++) {
      EdgeTable table = schema.edges().get(i);
      String type = table.type();
      List<String> types =
          edges.stream().filter(each -> each.table().equals(table)).map(EdgeRows::type).toList();
      typed.add(type == null ? fitted.get(i) : fitted.get(i).withTypes(type, types));
    }
    return typed;
  }

  private Map<String, String> provenance(
      long merged, GraphData whole, List<VertexTable> vertices, List<EdgeTable> edgeTables) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("format", "tables");
    List<String> names = whole.featureNames();
    if (names != null) {
      facts.put(
          GraphData.Info.DEFINITION,
          definition(names, vertices.stream().map(VertexTable::features)));
    }
    EdgeFeatures ofEdges = whole.edgeFeatures();
    if (ofEdges != null) {
      facts.put(
          GraphData.Info.EDGE_DEFINITION,
          definition(ofEdges.names(), edgeTables.stream().map(EdgeTable::features)));
    }
    for (ImportReport.Rows each : rows) {
      facts.put("table " + each.table(), DatasetDraft.counted(each.rows(), "row"));
    }
    if (merged > 0) {
      facts.put(DatasetDraft.MERGED, DatasetDraft.counted(merged, "repeated edge"));
    }
    boolean adds = schema.handling().dangling() == Handling.Dangling.ADD;
    StringJoiner dropped = new StringJoiner(", ");
    add(dropped, adds ? 0 : dangling, "dangling edge", "");
    add(dropped, duplicates, "duplicate id", "");
    add(dropped, missing, "row", " without id, end, time or type");
    add(dropped, schema.directed() ? 0 : selfLoops, "self loop", "");
    if (dropped.length() > 0) {
      facts.put(DatasetDraft.DROPPED, dropped.toString());
    }
    if (adds && dangling > 0) {
      facts.put("added", "vertices of " + DatasetDraft.counted(dangling, "dangling edge"));
    }
    return facts;
  }

  private static void add(StringJoiner to, long count, String what, String more) {
    if (count > 0) {
      to.add(DatasetDraft.counted(count, what) + more);
    }
  }

  /// A fingerprint of the features and of what they were fitted to: a model that was trained on
  /// them refuses those of other means.
  private static String definition(List<String> names, Stream<Map<String, Encoding>> fitted) {
    String text =
        Stream.concat(
                names.stream(),
                fitted.flatMap(features -> features.values().stream()).map(Object::toString))
            .collect(Collectors.joining("\n"));
    byte[] digest = Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8));
    return "tables " + HexFormat.of().formatHex(digest, 0, 8);
  }

  /// Null if ids are the numbers of the vertices.
  private @Nullable List<String> names() {
    boolean numbers =
        keyType.equals("BIGINT") && store.number("SELECT count(*) FROM ids WHERE id <> n") == 0;
    return numbers ? null : store.texts("SELECT id FROM ids ORDER BY n");
  }
}
