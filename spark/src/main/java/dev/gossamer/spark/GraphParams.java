package dev.gossamer.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamPair;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/// The parameters of columns, tables and the stage, which estimators and models share, beside
/// [TrainingParams].
final class GraphParams {
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
  private final String uid;
  private final List<ParamPair<?>> defaults = new ArrayList<>();
  private final List<Param<?>> all = new ArrayList<>();

  /// @param owner of the parameters, which has its name
  GraphParams(Params owner) {
    this.owner = owner;
    uid = owner.uid();
    idCol = text("idCol", "Column of vertices with their ids: texts or whole numbers", "id");
    featuresCols =
        texts(
            "featuresCols",
            "Columns of vertices that are features: numbers, truth values, texts (as categories), dates,"
                + " arrays and vectors (default: all that are nothing else)");
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
        text("onMissing", "Vertices without an id, edges without an end: refuse or drop", "refuse");
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
    predictionCol = text("predictionCol", "Column to add: what is predicted", "prediction");
    probabilityCol =
        text(
            "probabilityCol",
            "Column to add: the probability of each class; empty for none",
            "probability");
    embeddingCol =
        text(
            "embeddingCol",
            "Column to add: the last hidden layer of each vertex; empty for none",
            "");
    training = new TrainingParams(uid);
    all.addAll(training.all());
  }

  private Param<String> text(String name, String description, String usual) {
    Param<String> param = new Param<>(uid, name, description);
    add(param, param.w(usual));
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
  /// @param prediction type of the predictions
  /// @param probabilities whether there are some
  /// @throws IllegalArgumentException if a column is missing, or there already
  StructType transformed(StructType vertices, DataType prediction, boolean probabilities) {
    StagedTables.require(vertices, "vertices", value(idCol));
    StructType all = add(vertices, value(predictionCol), prediction);
    if (probabilities) {
      all = add(all, value(probabilityCol), SQLDataTypes.VectorType());
    }
    return add(all, value(embeddingCol), SQLDataTypes.VectorType());
  }

  private static StructType add(StructType columns, String name, DataType type) {
    if (name.isEmpty()) {
      return columns;
    }
    if (Arrays.asList(columns.fieldNames()).contains(name)) {
      throw new IllegalArgumentException(
          "vertices: expected no column %s, which is to be added, found one".formatted(name));
    }
    return columns.add(name, type);
  }

  /// {@return all parameters}
  Param<?>[] all() {
    return all.toArray(Param<?>[]::new);
  }
}
