package dev.gossamer.spark;

import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamPair;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// The parameters of columns, tables and the stage, which estimators and models share, beside
/// [TrainingParams].
final class GraphParams implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  final Param<String> idCol;
  final StringArrayParam featuresCols;
  final StringArrayParam textCols;
  final Param<String> labelCol;
  final Param<String> splitCol;
  final Param<String> srcCol;
  final Param<String> dstCol;
  final Param<String> weightCol;
  final Param<String> typeCol;
  final BooleanParam directed;
  final Param<String> onDangling;
  final Param<String> onDuplicate;
  final Param<String> onMissing;
  final Param<String> split;
  final IntParam splitSeed;
  final IntParam ranks;
  final Param<String> folder;
  final Param<String> predictionCol;
  final Param<String> probabilityCol;
  final Param<String> embeddingCol;
  final TrainingParams training;

  private final Params owner;
  private final Outputs outputs;
  private final String uid;
  private final List<ParamPair<?>> defaults = new ArrayList<>();
  private final List<Param<?>> all = new ArrayList<>();

  /// @param owner of the parameters, which has its name
  /// @param outputs what is predicted
  GraphParams(Params owner, Outputs outputs) {
    this.owner = owner;
    this.outputs = outputs;
    uid = owner.uid();
    idCol = text("idCol", "Column of vertices with their ids: texts or whole numbers", "id");
    featuresCols =
        texts(
            "featuresCols",
            "Columns of vertices that are features: numbers, truth values, texts (as categories), dates,"
                + " arrays and vectors; an empty list: none (default: all that are nothing else)");
    textCols = texts("textCols", "Columns of vertices whose words are features (default: none)");
    labelCol =
        text(
            "labelCol",
            "Column of vertices with what is to be learned; null where unknown",
            "label");
    splitCol =
        text(
            "splitCol",
            "Column of vertices with train, validation, test or null, if there is one of this name",
            "split");
    srcCol =
        text(
            "srcCol",
            "Column of edges with the id of one end, the source of a directed edge",
            "src");
    dstCol = text("dstCol", "Column of edges with the id of the other end", "dst");
    weightCol =
        text(
            "weightCol",
            "Column of edges with their weights, if there is one of this name",
            "weight");
    typeCol =
        text("typeCol", "Column of edges with their types, if there is one of this name", "type");
    directed = new BooleanParam(uid, "directed", "Whether edges keep their direction");
    add(directed, directed.w(false));
    onDangling =
        text(
            "onDangling",
            "Edges with an end that is no vertex: refuse, drop, or add the vertex",
            "refuse");
    onDuplicate =
        text("onDuplicate", "Vertices with the id of another: refuse, or keep the first", "refuse");
    onMissing =
        text(
            "onMissing",
            "Vertices without an id, edges without an end or a type: refuse or drop",
            "refuse");
    split =
        text(
            "split",
            "Training, validation and test parts in percent, if no column has them",
            "60/20/20");
    splitSeed = new IntParam(uid, "splitSeed", "Seed of that split");
    add(splitSeed, splitSeed.w(0));
    ranks = new IntParam(uid, "ranks", "Number of ranks, which are tasks of one barrier stage");
    add(ranks, ranks.w(1));
    folder =
        text(
            "folder",
            "Folder in a file system that the driver and all executors reach, for tables on their way and the"
                + " run; empty for a temporary one, if the master is local",
            "");
    predictionCol =
        text(
            outputs.arePredicted(),
            "predictionCol",
            "Column to add: what is predicted; empty for none",
            "prediction");
    probabilityCol =
        text(
            outputs.haveProbabilities(),
            "probabilityCol",
            "Column to add: the probability of each class, or of an edge; empty for none",
            "probability");
    embeddingCol =
        text(
            outputs.haveVectors(),
            "embeddingCol",
            "Column to add: a vector of each vertex, its last hidden layer; empty for none",
            outputs == Outputs.VECTORS ? "embedding" : "");
    training = new TrainingParams(uid, outputs.areLearnedFromEdges());
    all.addAll(training.all());
  }

  private Param<String> text(String name, String description, String usual) {
    return text(true, name, description, usual);
  }

  /// A parameter, which only some owners have.
  private Param<String> text(boolean has, String name, String description, String usual) {
    Param<String> param = new Param<>(uid, name, description);
    if (has) {
      add(param, param.w(usual));
    }
    return param;
  }

  private StringArrayParam texts(String name, String description) {
    StringArrayParam param = new StringArrayParam(owner, name, description);
    all.add(param);
    return param;
  }

  private void add(Param<?> param, ParamPair<?> usual) {
    all.add(param);
    defaults.add(usual);
  }

  /// {@return the value of a parameter}
  ///
  /// @param <T> its type
  /// @param param of the owner, with a default
  <T> T value(Param<T> param) {
    return owner.getOrDefault(param);
  }

  /// {@return columns of vertices that are no features}
  Set<String> columns() {
    return Stream.of(idCol, labelCol, splitCol, predictionCol, probabilityCol, embeddingCol)
        .filter(all::contains)
        .map(this::value)
        .collect(Collectors.toSet());
  }

  /// {@return whether somebody has set a parameter}
  ///
  /// @param param of the owner
  boolean isSet(Param<?> param) {
    return owner.isSet(param);
  }

  /// {@return the names that are set, or none}
  ///
  /// @param param of the owner
  List<String> names(StringArrayParam param) {
    return owner.isSet(param) ? List.of(owner.getOrDefault(param)) : List.of();
  }

  /// Sets what holds where nothing is set.
  void setDefaults() {
    defaults.forEach(this::setDefault);
    training.defaults().forEach(this::setDefault);
  }

  private <T> void setDefault(ParamPair<T> pair) {
    owner.setDefault(pair.param(), pair.value());
  }

  /// {@return the columns after a model has added its own}
  ///
  /// @param vertices columns before
  /// @param prediction type of the predictions; null for none
  /// @throws IllegalArgumentException if a column is missing, or there already
  StructType transformed(StructType vertices, @Nullable DataType prediction) {
    StagedTables.require(vertices, "vertices", value(idCol));
    StructType columns =
        prediction == null ? vertices : add("vertices", vertices, predictionCol, prediction);
    if (outputs.haveProbabilities()) {
      columns = add("vertices", columns, probabilityCol, SQLDataTypes.VectorType());
    }
    return add("vertices", columns, embeddingCol, SQLDataTypes.VectorType());
  }

  /// {@return the columns after a model of edges has added its own}
  ///
  /// @param pairs columns before
  /// @throws IllegalArgumentException if a column is missing, or there already
  StructType transformedPairs(StructType pairs) {
    StagedTables.require(pairs, "pairs", value(srcCol));
    StagedTables.require(pairs, "pairs", value(dstCol));
    StructType columns = add("pairs", pairs, predictionCol, DataTypes.DoubleType);
    return add("pairs", columns, probabilityCol, DataTypes.DoubleType);
  }

  private StructType add(String table, StructType columns, Param<String> param, DataType type) {
    String name = value(param);
    if (name.isEmpty()) {
      return columns;
    }
    if (Arrays.asList(columns.fieldNames()).contains(name)) {
      throw new IllegalArgumentException(
          "%s: expected no column %s, which is to be added, found one".formatted(table, name));
    }
    return columns.add(name, type);
  }

  /// Sets a parameter to a value as a program or a command line has it.
  ///
  /// @param name of the parameter, or with dashes as a flag
  /// @param value a number, a truth value or a text
  /// @throws IllegalArgumentException if there is no such parameter, or it has another type
  void set(String name, Object value) {
    String text = value.toString();
    Param<?> param =
        all.stream()
            .filter(each -> each.name().equals(TrainingParams.name(name)))
            .findFirst()
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "expected a parameter or a flag of 'gossamer train', such as epochs, found "
                        + name));
    try {
      owner.set(
          switch (param) {
            case IntParam number -> number.w(Integer.parseInt(text));
            case DoubleParam number -> number.w(Double.parseDouble(text));
            case BooleanParam truth -> truth.w(truth(param.name(), text));
            case StringArrayParam texts -> texts.w(text.split(",", -1));
            default -> pair(param, text);
          });
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: expected a number, found %s".formatted(param.name(), text), e);
    }
  }

  /// {@return a truth value}
  ///
  /// @param name of the setting, for the message
  static boolean truth(String name, String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException(
          "%s: expected true or false, found %s".formatted(name, text));
    }
    return text.equals("true");
  }

  @SuppressWarnings("unchecked") // All that are left are texts.
  private static ParamPair<String> pair(Param<?> param, String text) {
    return ((Param<String>) param).w(text);
  }

  /// {@return all parameters}
  Param<?>[] all() {
    return all.toArray(Param<?>[]::new);
  }
}
