package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Task;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Finds out which column is what, from a sample of each table.
///
/// Ids are found by their values: the id of a table of vertices is the column of distinct values in
/// which most of two columns of edges are. The other roles are found by types, numbers of distinct
/// values and usual names.
final class SchemaSearch {
  /// Rows of a table that are looked at.
  private static final int SAMPLE = 200_000;

  /// Values of edges that are looked for among ids.
  private static final int ENDS = 10_000;

  /// Two columns of edges with fewer of their values among the ids are no ends.
  private static final double LEAST_FOUND = 0.05;

  private static final int MOST_CLASSES = 1000;
  private static final int MOST_SURE_CLASSES = 50;
  private static final double TEXT_WORDS = 2.5;

  /// Names of this many words that hardly ever repeat are texts, too: their words repeat.
  private static final double NAME_WORDS = 1.5;

  private static final List<String> ID_NAMES =
      List.of("id", "node_id", "vertex_id", "node", "vertex", "key", "uuid", "name");
  private static final List<String> LABEL_NAMES =
      List.of(
          "label",
          "class",
          "target",
          "category",
          "kind",
          "y",
          "type",
          "group",
          "section",
          "community",
          "outcome",
          "species");
  private static final List<String> LIST_NAMES =
      List.of("labels", "classes", "tags", "categories", "topics", "targets");
  private static final List<String> NUMBER_NAMES = List.of("label", "target", "y", "outcome");
  private static final List<String> TARGET_NAMES =
      Stream.concat(LIST_NAMES.stream(), NUMBER_NAMES.stream()).toList();
  private static final List<String> SPLIT_NAMES =
      List.of("split", "part", "fold", "set", "subset", "partition");
  private static final List<String> FROM_NAMES =
      List.of(
          "from", "source", "src", "sender", "u", "head", "from_id", "source_id", "id1", "start");
  private static final List<String> TO_NAMES =
      List.of(
          "to",
          "target",
          "dst",
          "receiver",
          "v",
          "tail",
          "to_id",
          "target_id",
          "id2",
          "end",
          "destination",
          "dest",
          "recipient");
  private static final List<String> WEIGHT_NAMES =
      List.of("weight", "amount", "value", "count", "frequency", "freq", "strength", "score", "n");

  private static final List<String> TYPE_NAMES =
      List.of(
          "type", "relation", "predicate", "rel", "edge_type", "relation_type", "kind", "label");

  private static final String TIME = "time";

  private static final List<String> TIME_NAMES =
      List.of("time", "timestamp", "ts", "date", "datetime", "year");

  private final TableStore store;
  private final SourceReader sources;
  private final List<SchemaProposal.Reason> reasons = new ArrayList<>();
  private final Set<String> names = new HashSet<>();

  /// By columns of ids, the shares of columns of edges.
  private final Map<Place, Map<Place, Double>> shares = new HashMap<>();

  /// A sampled table.
  private record Sampled(
      String name, TableSource source, SourceRows rows, String table, List<ColumnFacts> columns) {}

  /// A column of a sampled table.
  private record Place(String table, String column) {}

  /// A column of edges, and the share of its values that are ids, or in the other column.
  private record End(ColumnFacts column, double found) {}

  SchemaSearch(TableStore store, Path base) {
    this.store = store;
    sources = new SourceReader(store, base);
  }

  SchemaProposal propose(
      String name, List<TableSource> vertexSources, List<TableSource> edgeSources) {
    List<Sampled> vertices =
        IntStream.range(0, vertexSources.size())
            .mapToObj(i -> sampled(vertexSources.get(i), "vertices", "sv" + i))
            .toList();
    List<Sampled> edges =
        IntStream.range(0, edgeSources.size())
            .mapToObj(i -> sampled(edgeSources.get(i), "edges", "se" + i))
            .toList();
    sampleEnds(edges);
    List<VertexTable> vertexTables = new ArrayList<>();
    Map<Sampled, ColumnFacts> ids = new LinkedHashMap<>();
    for (Sampled table : vertices) {
      ids.put(table, id(table, edges));
    }
    Task task = task(ids);
    ids.forEach((table, id) -> vertexTables.add(vertexTable(table, id, task)));
    List<EdgeTable> edgeTables =
        withTimes(edges.stream().map(table -> edgeTable(table, ids)).toList());
    return new SchemaProposal(
        new GraphSchema(
            name,
            vertexTables,
            edgeTables,
            false,
            ids.isEmpty() ? Handling.ADD : Handling.REFUSE,
            SplitRule.DEFAULT,
            List.of(),
            task),
        reasons);
  }

  private Sampled sampled(TableSource source, String kind, String table) {
    SourceRows rows = sources.rows(source, "source_" + table, ColumnRoles.NONE);
    rows.run(
        store,
        relation ->
            "CREATE TABLE %s AS SELECT * FROM %s LIMIT %d".formatted(table, relation, SAMPLE));
    return new Sampled(
        name(source, kind), source, rows, table, ColumnFacts.of(store, table, rows.columns()));
  }

  /// That of the file, or what it holds.
  private String name(TableSource source, String kind) {
    String base =
        source instanceof TableSource.Files(String pattern)
            ? pattern.replaceFirst("/+$", "").replaceFirst(".*/", "").replaceFirst("\\..*", "")
            : kind;
    String chosen = base.isEmpty() || base.matches(".*[*?\\[{].*") ? kind : base;
    String name = chosen;
    for (int i = 2; !names.add(name); i++) {
      name = chosen + "-" + i;
    }
    return name;
  }

  /// The column of ids: every row has its own, and most ends of edges are among them.
  private ColumnFacts id(Sampled table, List<Sampled> edges) {
    List<ColumnFacts> candidates =
        table.columns().stream().filter(each -> each.isKeyKind() && each.isUnique()).toList();
    if (candidates.isEmpty()) {
      candidates =
          table.columns().stream()
              .filter(each -> each.isKeyKind() && each.rank(ID_NAMES) < ID_NAMES.size())
              .toList();
    }
    if (candidates.isEmpty()) {
      throw new InvalidInputException(
          "%s: expected a column of ids, in which every row has its own, found none (%s); name it in a schema"
              .formatted(table.source().text(), listed(table)));
    }
    Map<ColumnFacts, Double> found = new LinkedHashMap<>();
    for (ColumnFacts each : candidates) {
      found.put(
          each,
          edges.stream()
              .mapToDouble(edge ->
                  ends(edge, Map.of(table, each)).stream().limit(2).mapToDouble(End::found).sum())
              .sum());
    }
    ColumnFacts best =
        candidates.stream()
            .min(
                Comparator.comparingDouble((ColumnFacts each) -> -found.getOrDefault(each, 0.0))
                    .thenComparingInt(each -> each.rank(ID_NAMES)))
            .orElseThrow();
    because(table, best, "id", best.isUnique() ? "every row has its own" : "by its name");
    return best;
  }

  private static String listed(Sampled table) {
    return table.columns().stream().map(ColumnFacts::name).collect(Collectors.joining(", "));
  }

  /// Columns by the share of their values that are ids, the best first.
  private List<End> ends(Sampled edges, Map<Sampled, ColumnFacts> ids) {
    List<End> ends = new ArrayList<>();
    for (ColumnFacts column : edges.columns()) {
      if (!column.isKeyKind()) {
        continue;
      }
      double found = 0;
      for (Map.Entry<Sampled, ColumnFacts> id : ids.entrySet()) {
        found += found(edges, column, id.getKey(), id.getValue());
      }
      ends.add(new End(column, found));
    }
    ends.sort(
        Comparator.comparingDouble((End end) -> -end.found())
            .thenComparingInt(
                end -> Math.min(end.column().rank(FROM_NAMES), end.column().rank(TO_NAMES))));
    return ends;
  }

  /// Puts some values of each column that can be an end of edges into a table: ids are looked for
  /// among all of them at once.
  private void sampleEnds(List<Sampled> edges) {
    store.run("CREATE TABLE ends (t VARCHAR, c VARCHAR, k VARCHAR)");
    for (Sampled table : edges) {
      for (ColumnFacts column : table.columns()) {
        if (column.isKeyKind()) {
          store.run(
              ("INSERT INTO ends SELECT %s, %s, k FROM"
                      + " (SELECT DISTINCT %s::VARCHAR AS k FROM %s ORDER BY 1 LIMIT %d) WHERE k IS NOT NULL")
                  .formatted(
                      TableStore.literal(table.table()),
                      TableStore.literal(column.name()),
                      column.column().sql(),
                      table.table(),
                      ENDS));
        }
      }
    }
  }

  /// The share of the values of a column of edges that are among the ids.
  private double found(Sampled edges, ColumnFacts column, Sampled vertices, ColumnFacts id) {
    return shares
        .computeIfAbsent(new Place(vertices.table(), id.name()), place -> shares(vertices, id))
        .getOrDefault(new Place(edges.table(), column.name()), Double.NaN);
  }

  private Map<Place, Double> shares(Sampled vertices, ColumnFacts id) {
    UnaryOperator<String> among =
        relation ->
            "CREATE OR REPLACE TABLE among AS SELECT DISTINCT %1$s::VARCHAR AS k FROM %2$s WHERE %1$s::VARCHAR IN (SELECT k FROM ends)"
                .formatted(id.column().sql(), relation);
    if (id.rows() < SAMPLE) {
      store.run(among.apply(vertices.table()));
    } else {
      vertices.rows().run(store, among);
    }
    Map<Place, Double> shares = new HashMap<>();
    store.forEach(
        "SELECT t, c, avg((k IN (SELECT k FROM among))::INTEGER) FROM ends GROUP BY t, c",
        row -> shares.put(new Place(row.getString(1), row.getString(2)), row.getDouble(3)));
    return shares;
  }

  /// The only column of a file may be all of them, with blanks between: the usual form of lists of
  /// edges, which are no tables.
  private static InvalidInputException tooFewEnds(Sampled table, String what, boolean none) {
    return new InvalidInputException(
        "%s: expected two columns with %s, found %s (%s); %s"
            .formatted(
                table.source().text(),
                what,
                none ? "none" : "one",
                listed(table),
                table.columns().size() == 1
                    ? "separate columns by commas or tabs; an edge list with blanks opens as it is, without an import"
                    : "name them in a schema"));
  }

  /// The two columns with the largest shares of ids.
  private List<End> endsAmongIds(Sampled table, Map<Sampled, ColumnFacts> ids) {
    List<End> ends = ends(table, ids);
    if (ends.size() < 2 || ends.get(1).found() < LEAST_FOUND) {
      throw tooFewEnds(
          table, "ids of vertices", ends.isEmpty() || ends.getFirst().found() < LEAST_FOUND);
    }
    return ends.subList(0, 2);
  }

  /// The two columns that are ends of edges where no table has the vertices, with the share of the
  /// values of each that are in the other: those that are called so, or have most values in common,
  /// or else the first. Users and what they rate have none in common.
  private List<End> endsByThemselves(Sampled table) {
    List<ColumnFacts> keys = keysOfEdges(table);
    if (keys.size() < 2) {
      throw tooFewEnds(table, "ends of edges", keys.isEmpty());
    }
    Map<List<String>, Double> common = new HashMap<>();
    store.forEach(
        "SELECT f.c, g.c, count(*) FROM ends AS f JOIN ends AS g ON f.t = g.t AND f.k = g.k WHERE f.t = %s GROUP BY ALL"
            .formatted(TableStore.literal(table.table())),
        row -> common.put(List.of(row.getString(1), row.getString(2)), row.getDouble(3)));
    List<End> best = List.of();
    double most = -1;
    for (int i = 0; i < keys.size(); i++) {
      for (int j = i + 1; j < keys.size(); j++) {
        End one = end(keys.get(i), keys.get(j), common);
        End other = end(keys.get(j), keys.get(i), common);
        boolean called = direction(one.column()) * direction(other.column()) < 0;
        double score = (called ? 1 : 0) + one.found() * other.found();
        if (score > most) {
          most = score;
          best = List.of(one, other);
        }
      }
    }
    return best;
  }

  /// Columns that can be ends: where enough others are, without those of which every row has its
  /// own, and what is called a weight, a time or a type.
  private static List<ColumnFacts> keysOfEdges(Sampled table) {
    List<ColumnFacts> keys =
        table.columns().stream().filter(each -> each.isKeyKind() && each.present() > 0).toList();
    List<ColumnFacts> likely =
        keys.stream()
            .filter(each -> !each.isUnique() && !each.isConstant())
            .filter(each ->
                Stream.of(WEIGHT_NAMES, TIME_NAMES, TYPE_NAMES)
                    .allMatch(names -> each.rank(names) == names.size()))
            .toList();
    return likely.size() < 2 ? keys : likely;
  }

  private static End end(ColumnFacts column, ColumnFacts other, Map<List<String>, Double> common) {
    double own = common.getOrDefault(List.of(column.name(), column.name()), 1.0);
    return new End(column, common.getOrDefault(List.of(column.name(), other.name()), 0.0) / own);
  }

  private EdgeTable edgeTable(Sampled table, Map<Sampled, ColumnFacts> ids) {
    boolean alone = ids.isEmpty();
    List<End> two =
        (alone ? endsByThemselves(table) : endsAmongIds(table, ids))
            .stream()
                .sorted(
                    Comparator.comparingInt((End end) -> direction(end.column()))
                        .thenComparingInt(end -> table.columns().indexOf(end.column())))
                .toList();
    String[] roles = {"from", "to"};
    for (int i = 0; i < 2; i++) {
      because(
          table,
          two.get(i).column(),
          roles[i],
          "%.0f %% of its values are %s"
              .formatted(
                  100 * Math.min(1, two.get(i).found()),
                  alone ? "in the other end, as the same vertices" : "ids"));
    }
    ColumnFacts weight = null;
    ColumnFacts time = null;
    ColumnFacts type = null;
    Map<String, Encoding> features = new LinkedHashMap<>();
    for (ColumnFacts column : table.columns()) {
      if (two.stream().anyMatch(end -> end.column().equals(column))) {
        continue;
      }
      if (weight == null && isWeight(table, column)) {
        weight = column;
        because(table, column, "weight", "positive numbers, by its name");
      } else if (time == null && isTime(column)) {
        time = column;
        because(table, column, TIME, column.column().isTime() ? "dates" : "numbers, by its name");
      } else if (type == null && isType(column)) {
        type = column;
        because(table, column, "type", "%d texts, by its name".formatted(column.distinct()));
      } else {
        edgeEncoding(table, column).ifPresent(encoding -> features.put(column.name(), encoding));
      }
    }
    EdgeTable edges =
        new EdgeTable(
                table.name(),
                table.source(),
                two.get(0).column().name(),
                two.get(1).column().name(),
                weight == null ? null : weight.name())
            .withTime(time == null ? null : time.name())
            .withFeatures(features);
    return type == null ? edges : edges.withTypes(type.name(), List.of());
  }

  /// Without times, unless all tables have them.
  private List<EdgeTable> withTimes(List<EdgeTable> edges) {
    if (edges.stream().allMatch(table -> table.time() != null)) {
      return edges;
    }
    reasons.replaceAll(each ->
        each.role().equals(TIME)
            ? new SchemaProposal.Reason(
                each.table(), each.column(), "ignored", "other tables of edges have no times")
            : each);
    return edges.stream().map(table -> table.withTime(null)).toList();
  }

  private static boolean isTime(ColumnFacts column) {
    boolean number =
        switch (column.column().kind()) {
          case WHOLE, REAL -> column.rank(TIME_NAMES) < TIME_NAMES.size();
          default -> false;
        };
    return (column.column().isTime() || number)
        && column.present() == column.rows()
        && column.distinct() > 1;
  }

  private static boolean isType(ColumnFacts column) {
    return column.column().kind() == Column.Kind.TEXT
        && column.rank(TYPE_NAMES) < TYPE_NAMES.size()
        && column.present() == column.rows()
        && column.distinct() > 1
        && column.distinct() <= GraphTypes.MOST_EDGES;
  }

  /// Negative for an end that edges come from.
  private static int direction(ColumnFacts column) {
    if (column.rank(FROM_NAMES) < FROM_NAMES.size()) {
      return -1;
    }
    return column.rank(TO_NAMES) < TO_NAMES.size() ? 1 : 0;
  }

  private boolean isWeight(Sampled table, ColumnFacts column) {
    return column.column().isNumeric()
        && column.column().kind() != Column.Kind.TRUTH
        && column.rank(WEIGHT_NAMES) < WEIGHT_NAMES.size()
        && column.present() == column.rows()
        && store.number(
                "SELECT count(*) FROM %s WHERE NOT (%2$s > 0 AND isfinite(%2$s::DOUBLE))"
                    .formatted(table.table(), column.column().sql()))
            == 0;
  }

  /// What is predicted, the same of all tables: classes if one has some, or else what the first
  /// column is that is called so.
  private Task task(Map<Sampled, ColumnFacts> ids) {
    List<List<ColumnFacts>> tables = new ArrayList<>();
    ids.forEach((table, id) -> tables.add(rest(table, id, split(table, id))));
    return tables.stream().anyMatch(columns -> label(columns) != null)
        ? Task.CLASSIFICATION
        : tables.stream()
            .flatMap(columns -> targets(columns).stream())
            .map(SchemaSearch::task)
            .findFirst()
            .orElse(Task.CLASSIFICATION);
  }

  private static List<ColumnFacts> rest(
      Sampled table, ColumnFacts id, @Nullable ColumnFacts split) {
    return table.columns().stream()
        .filter(each -> !each.equals(id) && !each.equals(split))
        .toList();
  }

  private @Nullable ColumnFacts split(Sampled table, ColumnFacts id) {
    return rest(table, id, null).stream()
        .filter(each -> isSplit(table, each))
        .findFirst()
        .orElse(null);
  }

  private VertexTable vertexTable(Sampled table, ColumnFacts id, Task task) {
    ColumnFacts split = split(table, id);
    List<ColumnFacts> others = rest(table, id, split);
    ColumnFacts label =
        task == Task.CLASSIFICATION
            ? label(others)
            : targets(others.stream().filter(each -> task(each) == task).toList()).orElse(null);
    ColumnFacts time = null;
    Map<String, Encoding> features = new LinkedHashMap<>();
    for (ColumnFacts column : rest(table, id, null)) {
      if (column.equals(split)) {
        because(table, column, "split", "names of parts");
      } else if (column.equals(label)) {
        because(
            table,
            column,
            "label",
            switch (task) {
              case CLASSIFICATION ->
                  "%d classes%s"
                      .formatted(
                          column.distinct(),
                          column.rank(LABEL_NAMES) < LABEL_NAMES.size()
                              ? ", by its name"
                              : ", the only such column");
              case MULTI_LABEL -> "lists of labels, by its name";
              case REGRESSION -> "numbers to predict, by its name";
              case LINKS -> throw new IllegalStateException("edges are no column");
            });
      } else {
        time = time == null && column.column().isTime() ? column : time;
        encoding(table, column).ifPresent(encoding -> features.put(column.name(), encoding));
      }
    }
    return new VertexTable(
        table.name(),
        table.source(),
        id.name(),
        label == null ? null : label.name(),
        split == null ? null : split.name(),
        time == null ? null : time.name(),
        features);
  }

  private boolean isSplit(Sampled table, ColumnFacts column) {
    if (column.column().kind() != Column.Kind.TEXT
        || column.distinct() < 2
        || column.distinct() > 12
        || column.rank(SPLIT_NAMES) == SPLIT_NAMES.size()) {
      return false;
    }
    return store
        .texts(
            "SELECT DISTINCT %1$s FROM %2$s WHERE %1$s IS NOT NULL"
                .formatted(column.column().sql(), table.table()))
        .stream()
        .allMatch(PartNames::isKnown);
  }

  /// A column of numbers or lists with a usual name of what is predicted, and what it is; nothing
  /// beside a column of classes.
  private static Optional<ColumnFacts> targets(List<ColumnFacts> columns) {
    return columns.stream()
        .filter(each -> each.present() > 0 && task(each) != Task.CLASSIFICATION)
        .min(Comparator.comparingInt(each -> each.rank(TARGET_NAMES)));
  }

  /// What is predicted if a column is what it is called.
  private static Task task(ColumnFacts column) {
    boolean list = column.rank(LIST_NAMES) < LIST_NAMES.size();
    boolean number = column.rank(NUMBER_NAMES) < NUMBER_NAMES.size();
    return switch (column.column().kind()) {
      case TEXTS -> list ? Task.MULTI_LABEL : Task.CLASSIFICATION;
      case REAL -> number ? Task.REGRESSION : Task.CLASSIFICATION;
      default -> Task.CLASSIFICATION;
    };
  }

  /// A column with the usual name of classes, or the only one with few values.
  private static @Nullable ColumnFacts label(List<ColumnFacts> columns) {
    Optional<ColumnFacts> named =
        columns.stream()
            .filter(each ->
                each.rank(LABEL_NAMES) < LABEL_NAMES.size() && hasClasses(each, MOST_CLASSES))
            .min(Comparator.comparingInt(each -> each.rank(LABEL_NAMES)));
    if (named.isPresent()) {
      return named.get();
    }
    List<ColumnFacts> few =
        columns.stream()
            .filter(each ->
                (each.column().kind() == Column.Kind.TEXT
                        || each.column().kind() == Column.Kind.TRUTH)
                    && hasClasses(each, MOST_SURE_CLASSES))
            .toList();
    return few.size() == 1 ? few.getFirst() : null;
  }

  private static boolean hasClasses(ColumnFacts column, int most) {
    return switch (column.column().kind()) {
      case TEXT, WHOLE, TRUTH ->
          column.distinct() >= 2
              && column.distinct() <= most
              && column.present() >= 2 * column.distinct();
      default -> false;
    };
  }

  /// Texts are not proposed: they take many features, which each edge has.
  private Optional<Encoding> edgeEncoding(Sampled table, ColumnFacts column) {
    Optional<Encoding> encoding = encoding(table, column);
    if (encoding.isPresent() && encoding.get() instanceof Encoding.Text(int buckets)) {
      reasons.removeLast();
      because(
          table, column, "ignored", "text would be %d features of each edge".formatted(buckets));
      return Optional.empty();
    }
    return encoding;
  }

  private Optional<Encoding> encoding(Sampled table, ColumnFacts column) {
    if (column.isConstant()) {
      because(table, column, "ignored", column.present() == 0 ? "no values" : "one value only");
      return Optional.empty();
    }
    if (column.countsRows()) {
      because(table, column, "ignored", "numbers of the rows");
      return Optional.empty();
    }
    String found = "%,d distinct values".formatted(column.distinct());
    return switch (column.column().kind()) {
      case WHOLE, REAL, TRUTH -> {
        boolean code = column.hasKeyName() && column.column().kind() == Column.Kind.WHOLE;
        if (code && column.isUnique()) {
          because(table, column, "ignored", "an id, by its name and values");
          yield Optional.empty();
        }
        yield code
            ? Optional.of(
                chosen(
                    table,
                    column,
                    new Encoding.Categorical(Encoding.Categorical.USUAL),
                    found + ", a code by its name"))
            : Optional.of(
                chosen(
                    table,
                    column,
                    new Encoding.Numeric(
                        column.column().kind() == Column.Kind.TRUTH
                            ? Encoding.Scale.NONE
                            : Encoding.Scale.STANDARD),
                    column.column().kind() == Column.Kind.TRUTH ? "true or false" : "numbers"));
      }
      case TEXT -> {
        boolean rarelyRepeats =
            column.distinct() > Encoding.Categorical.USUAL
                && 2 * column.distinct() > column.present();
        if (column.words() >= (rarelyRepeats ? NAME_WORDS : TEXT_WORDS)) {
          yield Optional.of(
              chosen(
                  table,
                  column,
                  new Encoding.Text(Encoding.Text.USUAL),
                  "%.1f words on average".formatted(column.words())));
        }
        if (column.present() == column.distinct()) {
          because(table, column, "ignored", "an id: no value occurs twice");
          yield Optional.empty();
        }
        if (rarelyRepeats) {
          because(
              table,
              column,
              "ignored",
              "nearly an id: %s in %,d rows".formatted(found, column.present()));
          yield Optional.empty();
        }
        yield Optional.of(
            chosen(table, column, new Encoding.Categorical(Encoding.Categorical.USUAL), found));
      }
      case DATE, STAMP -> Optional.of(chosen(table, column, new Encoding.Dates(), "dates"));
      case NUMBERS -> {
        if (column.shortest() != column.longest() || column.longest() == 0) {
          because(
              table,
              column,
              "ignored",
              "lists of %d to %d numbers".formatted(column.shortest(), column.longest()));
          yield Optional.empty();
        }
        yield Optional.of(
            chosen(
                table,
                column,
                new Encoding.Numbers(),
                "lists of %d numbers".formatted(column.longest())));
      }
      case TEXTS, OTHER -> {
        because(table, column, "ignored", "no encoding for " + column.column().type());
        yield Optional.empty();
      }
    };
  }

  private Encoding chosen(Sampled table, ColumnFacts column, Encoding encoding, String reason) {
    because(table, column, encoding.name(), reason);
    return encoding;
  }

  private void because(Sampled table, ColumnFacts column, String role, String reason) {
    reasons.add(new SchemaProposal.Reason(table.name(), column.name(), role, reason));
  }
}
