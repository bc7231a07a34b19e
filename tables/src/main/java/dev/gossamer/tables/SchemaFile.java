package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.graph.Task;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.format.YamlSection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/// Reads and writes a [GraphSchema] as YAML:
///
/// ```yaml
/// name: shop
/// vertices:
/// - name: accounts
///   source: accounts.parquet
///   id: id
///   label: kind
///   features:
///     balance: numeric
///     country: {as: categorical, limit: 64}
/// edges:
/// - name: payments
///   source: payments/*.csv.gz
///   from: sender
///   to: receiver
///   weight: amount
///   features:
///     channel: categorical
/// ```
///
/// Names of files are relative to the folder of the schema, or to the folder that its key `folder`
/// names. docs/tables.md describes all keys.
///
/// @param schema of the graph
/// @param folder to which names of files in it are relative
public record SchemaFile(GraphSchema schema, Path folder) {
  /// The keys of a schema.
  static final List<String> KEYS =
      List.of(
          "name",
          "folder",
          "vertices",
          "edges",
          "directed",
          "on-dangling",
          "on-duplicate",
          "on-missing",
          "split",
          "split-by",
          "seed",
          "classes",
          "task");

  private static final List<String> SOURCE_KEYS =
      List.of("name", "source", "sql", "jdbc", "user", "password-file");

  private static final int MOST_BYTES = 3 << 20;

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
          .enable(YAMLWriteFeature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
          .build();

  /// Reads a schema.
  ///
  /// @param file YAML, or JSON, which is YAML too
  /// @return the schema
  /// @throws InvalidInputException naming file, key, what was expected and what was found
  public static SchemaFile read(Path file) {
    YamlSection whole = YamlSection.read(file, MOST_BYTES, "a schema of tables", KEYS);
    GraphSchema schema = schema(whole, nameOf(file));
    Path own = folderOf(file);
    return new SchemaFile(
        schema, whole.has("folder") ? own.resolve(whole.text("folder", "a folder")) : own);
  }

  /// Reads a schema that travels with a data set or a model.
  ///
  /// @param where names it, the start of a message
  /// @param json as [#json] writes it
  /// @return the schema, whose tables have no sources
  /// @throws InvalidInputException naming key, what was expected and what was found
  public static GraphSchema parse(String where, String json) {
    return schema(YamlSection.parse(where, json, "a schema of tables", KEYS), "tables");
  }

  private static GraphSchema schema(YamlSection whole, String usualName) {
    try {
      List<YamlSection> vertices = whole.has("vertices") ? whole.sections("vertices") : List.of();
      List<YamlSection> edges = whole.sections("edges");
      Handling usual = vertices.isEmpty() ? Handling.ADD : Handling.REFUSE;
      Handling handling =
          new Handling(
              choice(whole, "on-dangling", usual.dangling()),
              choice(whole, "on-duplicate", usual.duplicates()),
              choice(whole, "on-missing", usual.missing()));
      SplitRule split =
          new SplitRule(
              choice(whole, "split-by", SplitRule.DEFAULT.by()),
              whole.has("split")
                  ? Splits.Fractions.parse(whole.text("split", "proportions like 60/20/20"))
                  : SplitRule.DEFAULT.fractions(),
              whole.has("seed") ? whole.number("seed") : SplitRule.DEFAULT.seed());
      return new GraphSchema(
          whole.has("name") ? whole.text("name", "a name") : usualName,
          IntStream.range(0, vertices.size())
              .mapToObj(i -> vertexTable(vertices.get(i), i))
              .toList(),
          IntStream.range(0, edges.size()).mapToObj(i -> edgeTable(edges.get(i), i)).toList(),
          whole.has("directed") && whole.flag("directed"),
          handling,
          split,
          whole.has("classes") ? whole.texts("classes") : List.of(),
          choice(whole, "task", Task.CLASSIFICATION));
    } catch (InvalidSettingException e) {
      throw new InvalidInputException(
          "%s: %s".formatted(whole.where(), e.message(SchemaFile::key)), e);
    }
  }

  private static Path folderOf(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().normalize().getParent());
  }

  /// The key of a component: `split-by` for `splitBy`.
  static String key(String component) {
    return component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /// {@return the name of a data set whose schema names none: that of the file without endings}
  ///
  /// @param file a schema
  static String nameOf(Path file) {
    return String.valueOf(file.getFileName()).replaceFirst("\\.[^.]*$", "");
  }

  private static VertexTable vertexTable(YamlSection table, int index) {
    requireKeys(table, "id", "label", "split", "time", "features");
    Map<String, Encoding> features = features(table);
    return new VertexTable(
        name(table, "vertices", index),
        source(table),
        column(table, "id"),
        optional(table, "label"),
        optional(table, "split"),
        optional(table, "time"),
        features);
  }

  private static Map<String, Encoding> features(YamlSection table) {
    Map<String, Encoding> features = new LinkedHashMap<>();
    if (table.has("features")) {
      YamlSection columns = table.section("features");
      for (String column : columns.keys()) {
        features.put(column, EncodingEntries.read(columns, column));
      }
    }
    return features;
  }

  private static EdgeTable edgeTable(YamlSection table, int index) {
    requireKeys(table, "from", "to", "weight", "time", "type", "types", "features");
    EdgeTable edges =
        new EdgeTable(
                name(table, "edges", index),
                source(table),
                column(table, "from"),
                column(table, "to"),
                optional(table, "weight"))
            .withTime(optional(table, "time"))
            .withFeatures(features(table));
    String type = optional(table, "type");
    if (type == null && table.has("types")) {
      throw new InvalidInputException(
          "%s: expected none without a column 'type', found some".formatted(table.where("types")));
    }
    return type == null
        ? edges
        : edges.withTypes(type, table.has("types") ? table.texts("types") : List.of());
  }

  private static void requireKeys(YamlSection table, String... own) {
    List<String> known = new ArrayList<>(SOURCE_KEYS);
    known.addAll(List.of(own));
    table.requireKeys(known);
  }

  private static String name(YamlSection table, String usual, int index) {
    return table.has("name")
        ? table.text("name", "the name of the table")
        : usual + (index == 0 ? "" : "-" + (index + 1));
  }

  private static String column(YamlSection table, String key) {
    return table.text(key, "the name of a column");
  }

  private static @Nullable String optional(YamlSection table, String key) {
    return table.has(key) ? column(table, key) : null;
  }

  private static TableSource source(YamlSection table) {
    boolean jdbc = table.has("jdbc");
    List<String> given = List.of("source", "sql", "jdbc").stream().filter(table::has).toList();
    List<List<String>> possible =
        List.of(List.of(), List.of("source"), List.of("sql"), List.of("sql", "jdbc"));
    if (!possible.contains(given)) {
      throw new InvalidInputException(
          "%s: expected source, or sql, or jdbc and sql, found %s"
              .formatted(table.where(), String.join(" and ", given)));
    }
    if (!jdbc && (table.has("user") || table.has("password-file"))) {
      throw new InvalidInputException(
          "%s: expected user and password-file beside jdbc only, found no jdbc"
              .formatted(table.where()));
    }
    if (jdbc) {
      return new TableSource.Database(
          table.text("jdbc", "the address of a database"),
          table.text("sql", "a query"),
          table.has("user") ? table.text("user", "a name") : null,
          table.has("password-file") ? table.text("password-file", "a file") : null);
    }
    if (given.isEmpty()) {
      return new TableSource.Open();
    }
    return table.has("sql")
        ? new TableSource.Query(table.text("sql", "a query"))
        : new TableSource.Files(table.text("source", "a file, a folder or a pattern"));
  }

  static <E extends Enum<E>> E choice(YamlSection section, String key, E usual) {
    if (!section.has(key)) {
      return usual;
    }
    String found = section.text(key, "a word");
    Class<E> type = usual.getDeclaringClass();
    return Arrays.stream(type.getEnumConstants())
        .filter(each -> word(each).equals(found))
        .findFirst()
        .orElseThrow(() ->
            new InvalidInputException(
                "%s: expected one of %s, found %s"
                    .formatted(
                        section.where(key),
                        Arrays.stream(type.getEnumConstants())
                            .map(SchemaFile::word)
                            .collect(Collectors.joining(", ")),
                        found)));
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /// Writes a schema.
  ///
  /// @param file written atomically
  /// @throws InvalidInputException if it cannot be written
  public void write(Path file) {
    String yaml = text(file);
    AtomicOutput.file(file, temporary -> Files.writeString(temporary, yaml));
  }

  /// {@return the text of a file}
  ///
  /// @param file whose text it is
  public String text(Path file) {
    Path from = folderOf(file);
    Path to = folder.toAbsolutePath().normalize();
    return YAML.writeValueAsString(
        entries(schema, from.equals(to) ? null : from.relativize(to).toString()));
  }

  /// {@return a schema as it travels with a data set or a model, without its sources}
  ///
  /// @param schema of a graph
  public static String json(GraphSchema schema) {
    return JsonMapper.shared().writeValueAsString(entries(schema.withoutSources(), null));
  }

  private static Map<String, Object> entries(GraphSchema schema, @Nullable String folder) {
    Map<String, Object> entries = new LinkedHashMap<>();
    entries.put("name", schema.name());
    put(entries, "folder", folder);
    if (!schema.vertices().isEmpty()) {
      entries.put("vertices", schema.vertices().stream().map(SchemaFile::entries).toList());
    }
    entries.put("edges", schema.edges().stream().map(SchemaFile::entries).toList());
    entries.put("directed", schema.directed());
    entries.put("on-dangling", word(schema.handling().dangling()));
    entries.put("on-duplicate", word(schema.handling().duplicates()));
    entries.put("on-missing", word(schema.handling().missing()));
    Splits.Fractions fractions = schema.split().fractions();
    entries.put(
        "split",
        "%s/%s/%s"
            .formatted(
                percent(fractions.train()),
                percent(fractions.validation()),
                percent(fractions.test())));
    entries.put("split-by", word(schema.split().by()));
    entries.put("seed", schema.split().seed());
    if (!schema.classes().isEmpty()) {
      entries.put("classes", schema.classes());
    }
    if (schema.task() != Task.CLASSIFICATION) {
      entries.put("task", word(schema.task()));
    }
    return entries;
  }

  /// In per cent, without digits that stand for rounding.
  private static String percent(double fraction) {
    double percent = Math.round(fraction * 100 * 1e7) / 1e7;
    return percent == Math.rint(percent) ? Long.toString((long) percent) : Double.toString(percent);
  }

  private static Map<String, Object> entries(VertexTable table) {
    Map<String, Object> entries = source(table.name(), table.source());
    entries.put("id", table.id());
    put(entries, "label", table.label());
    put(entries, "split", table.split());
    put(entries, "time", table.time());
    putFeatures(entries, table.features());
    return entries;
  }

  private static void putFeatures(Map<String, Object> entries, Map<String, Encoding> features) {
    if (!features.isEmpty()) {
      Map<String, Object> columns = new LinkedHashMap<>();
      features.forEach((column, encoding) -> columns.put(column, EncodingEntries.of(encoding)));
      entries.put("features", columns);
    }
  }

  private static Map<String, Object> entries(EdgeTable table) {
    Map<String, Object> entries = source(table.name(), table.source());
    entries.put("from", table.from());
    entries.put("to", table.to());
    put(entries, "weight", table.weight());
    put(entries, "time", table.time());
    put(entries, "type", table.type());
    if (!table.types().isEmpty()) {
      entries.put("types", table.types());
    }
    putFeatures(entries, table.features());
    return entries;
  }

  private static Map<String, Object> source(String name, TableSource source) {
    Map<String, Object> entries = new LinkedHashMap<>();
    entries.put("name", name);
    switch (source) {
      case TableSource.Files(String pattern) -> entries.put("source", pattern);
      case TableSource.Query(String sql) -> entries.put("sql", sql);
      case TableSource.Open _ -> {}
      case TableSource.Database database -> {
        entries.put("jdbc", database.address());
        entries.put("sql", database.sql());
        put(entries, "user", database.user());
        put(entries, "password-file", database.passwordFile());
      }
    }
    return entries;
  }

  private static void put(Map<String, Object> entries, String key, @Nullable String value) {
    if (value != null) {
      entries.put(key, value);
    }
  }
}
