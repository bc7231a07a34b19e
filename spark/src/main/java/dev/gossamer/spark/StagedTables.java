package dev.gossamer.spark;

import static org.apache.spark.ml.functions.vector_to_array;
import static org.apache.spark.sql.functions.when;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.param.Param;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;

/// The tables of a graph on their way from DataFrames to Gossamer: columns of the types that
/// `dataset import` reads, in an order that does not depend on how Spark has divided them, and the
/// schema that says what each column is.
final class StagedTables {
  /// A column that no table has.
  static final String ID = "gossamer_id";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final GraphParams params;
  private final Dataset<Row> vertices;
  private final Dataset<Row> edges;
  private final DataType idType;

  /// Looks at the columns.
  ///
  /// @param params of columns
  /// @param vertices a row per vertex
  /// @param edges a row per edge
  /// @throws IllegalArgumentException naming a column that is not there or has another type
  StagedTables(GraphParams params, Dataset<Row> vertices, Dataset<Row> edges) {
    this.params = params;
    this.vertices = vertices;
    this.edges = edges;
    DataType ids = type(vertices.schema(), "vertices", params.value(params.idCol));
    idType = ids instanceof IntegralType ? DataTypes.LongType : DataTypes.StringType;
  }

  /// Requires a column.
  ///
  /// @param schema of a table
  /// @param table name for messages
  /// @param column its name
  static void require(StructType schema, String table, String column) {
    type(schema, table, column);
  }

  /// {@return a column by its name, which may have dots}
  ///
  /// @param table that has it
  /// @param name of the column
  static Column column(Dataset<Row> table, String name) {
    return table.col("`" + name.replace("`", "``") + "`");
  }

  /// {@return the last columns; a table of predictions has another name for a class or a number if
  /// an earlier column has its own, in whatever case}
  ///
  /// @param table of predictions
  /// @param count how many
  static Column[] last(Dataset<Row> table, int count) {
    String[] names = table.columns();
    return Arrays.stream(names, names.length - count, names.length)
        .map(name -> column(table, name))
        .toArray(Column[]::new);
  }

  private static DataType type(StructType schema, String table, String column) {
    return Arrays.stream(schema.fields())
        .filter(field -> field.name().equals(column))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "%s: expected a column %s, found %s"
                    .formatted(table, column, String.join(", ", schema.fieldNames()))))
        .dataType();
  }

  /// Writes both tables.
  ///
  /// @param folder in which `vertices` and `edges` appear
  /// @param label the label as it is to be learned; null to leave labels and parts out
  void write(String folder, @Nullable Column label) {
    List<Column> columns = new ArrayList<>();
    columns.add(id("vertices", vertices, params.value(params.idCol)));
    for (StructField feature : features()) {
      columns.add(feature(feature));
    }
    if (label != null) {
      columns.add(label.as(params.value(params.labelCol)));
      if (hasSplit()) {
        columns.add(column(vertices, params.value(params.splitCol)));
      }
    }
    write(vertices.select(columns.toArray(Column[]::new)), folder + "/vertices");
    List<Column> ends = new ArrayList<>();
    ends.add(id("edges", edges, params.value(params.srcCol)));
    ends.add(id("edges", edges, params.value(params.dstCol)));
    optional(params.weightCol).ifPresent(ends::add);
    optional(params.typeCol).ifPresent(ends::add);
    write(edges.select(ends.toArray(Column[]::new)), folder + "/edges");
  }

  /// Writes the different pairs whose ends are vertices.
  ///
  /// @param path of the table
  /// @param pairs with the columns of edges
  void writePairs(String path, Dataset<Row> pairs) {
    Dataset<Row> ids =
        vertices.select(column(vertices, params.value(params.idCol)).cast(idType).as(ID));
    List<String> ends = List.of(params.value(params.srcCol), params.value(params.dstCol));
    List<Column> columns = new ArrayList<>();
    ends.forEach(end -> columns.add(id("pairs", pairs, end)));
    String type = params.value(params.typeCol);
    if (Arrays.asList(pairs.columns()).contains(type)) {
      columns.add(column(pairs, type));
    }
    Dataset<Row> some = pairs.select(columns.toArray(Column[]::new)).distinct();
    for (String end : ends) {
      some = some.join(ids, column(some, end).equalTo(ids.col(ID)), "left_semi");
    }
    write(some, path);
  }

  /// Rows are sorted by all columns that can be: vertices are numbered in this order.
  private static void write(Dataset<Row> table, String path) {
    Column[] order =
        Arrays.stream(table.schema().fields())
            .filter(field -> !(field.dataType() instanceof ArrayType))
            .map(field -> column(table, field.name()))
            .toArray(Column[]::new);
    table.orderBy(order).write().parquet(path);
  }

  /// Where ids are whole numbers, a text that is none is missing.
  private Column id(String name, Dataset<Row> table, String column) {
    require(table.schema(), name, column);
    return column(table, column).try_cast(idType).as(column);
  }

  private Optional<Column> optional(Param<String> param) {
    String name = params.value(param);
    boolean there = Arrays.asList(edges.columns()).contains(name);
    if (!there && params.isSet(param)) {
      type(edges.schema(), "edges", name);
    }
    return there ? Optional.of(column(edges, name)) : Optional.empty();
  }

  private boolean hasSplit() {
    String name = params.value(params.splitCol);
    boolean there = Arrays.asList(vertices.columns()).contains(name);
    if (!there && params.isSet(params.splitCol)) {
      type(vertices.schema(), "vertices", name);
    }
    return there;
  }

  /// {@return names of the columns of features}
  String[] featureNames() {
    return features().stream().map(StructField::name).toArray(String[]::new);
  }

  /// Returns the columns of features.
  private List<StructField> features() {
    Set<String> texts = new LinkedHashSet<>(params.names(params.textCols));
    StructType schema = vertices.schema();
    List<StructField> found = new ArrayList<>();
    if (params.isSet(params.featuresCols)) {
      Set<String> all = new LinkedHashSet<>(params.names(params.featuresCols));
      all.addAll(texts);
      for (String name : all) {
        type(schema, "vertices", name);
        found.add(schema.apply(name));
      }
      return found;
    }
    texts.forEach(name -> type(schema, "vertices", name));
    Set<String> others = params.columns();
    for (StructField field : schema.fields()) {
      if (!others.contains(field.name())) {
        found.add(field);
      }
    }
    return found;
  }

  private Column feature(StructField field) {
    Column column = column(vertices, field.name());
    // It accepts no null.
    return isVector(field)
        ? when(column.isNotNull(), vector_to_array(column, "float32")).as(field.name())
        : column;
  }

  private static boolean isVector(StructField field) {
    return field.dataType().equals(SQLDataTypes.VectorType());
  }

  /// How a column becomes features, as the page on tables has it.
  private String encoding(StructField field) {
    if (params.names(params.textCols).contains(field.name())) {
      return "text";
    }
    if (isVector(field)) {
      return "list";
    }
    return switch (field.dataType()) {
      case NumericType _, BooleanType _ -> "numeric";
      case DateType _, TimestampType _, TimestampNTZType _ -> "date";
      case StringType _ -> "categorical";
      case ArrayType array when array.elementType() instanceof NumericType -> "list";
      default ->
          throw new IllegalArgumentException(
              "vertices: column %s: expected numbers, texts, dates, arrays or vectors, found %s; name the columns of features with featuresCols"
                  .formatted(field.name(), field.dataType().simpleString()));
    };
  }

  /// {@return the schema of the tables, as `dataset import --schema` reads it; JSON is YAML}
  ///
  /// @param name of the data set
  /// @param labelled whether there is a column of labels
  /// @param task what labels are
  /// @param classes names of the classes in their order; empty for those that occur
  String schema(String name, boolean labelled, String task, List<String> classes) {
    ObjectNode schema = JSON.createObjectNode();
    schema.put("name", name);
    ObjectNode table = schema.putArray("vertices").addObject();
    table.put("name", "vertices").put("source", "vertices/").put("id", params.value(params.idCol));
    if (labelled) {
      table.put("label", params.value(params.labelCol));
      if (hasSplit()) {
        table.put("split", params.value(params.splitCol));
      }
    }
    ObjectNode features = table.putObject("features");
    features().forEach(field -> features.put(field.name(), encoding(field)));
    ObjectNode ends = schema.putArray("edges").addObject();
    ends.put("name", "edges").put("source", "edges/");
    ends.put("from", params.value(params.srcCol)).put("to", params.value(params.dstCol));
    optional(params.weightCol).ifPresent(_ -> ends.put("weight", params.value(params.weightCol)));
    optional(params.typeCol).ifPresent(_ -> ends.put("type", params.value(params.typeCol)));
    schema.put("directed", (boolean) (Boolean) params.value(params.directed));
    schema.put("on-dangling", params.value(params.onDangling));
    schema.put("on-duplicate", params.value(params.onDuplicate));
    schema.put("on-missing", params.value(params.onMissing));
    schema.put("split", params.value(params.split));
    schema.put("seed", (int) (Integer) params.value(params.splitSeed));
    schema.put("task", task);
    if (!classes.isEmpty()) {
      classes.forEach(schema.putArray("classes")::add);
    }
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(schema);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /// {@return type of the ids in the tables}
  DataType idType() {
    return idType;
  }

  /// {@return a row per vertex}
  Dataset<Row> vertices() {
    return vertices;
  }

  /// {@return a row per edge}
  Dataset<Row> edges() {
    return edges;
  }
}
