package dev.gossamer.spark;

import java.util.List;
import java.util.Map;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamPair;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/// Trains a graph network on a DataFrame of vertices and one of edges: one of them is fitted, the
/// other is set before.
///
/// Every setting of `gossamer train` is a parameter, with the same default: `--label-smoothing` is
/// `labelSmoothing` ([#setting]; `explainParams` lists them). The ranks are the tasks of one
/// barrier stage, which Spark repeats if one is lost; the run then goes on from its last
/// checkpoint, and ends with the same bits.
///
/// @param <E> the estimator itself
/// @param <M> what it fits
public abstract sealed class GraphEstimator<E extends GraphEstimator<E, M>, M extends GraphModel<M>>
    extends Estimator<M> implements DefaultParamsWritable permits VertexEstimator, LinkPredictor {
  /// Name of the estimator.
  private final String uid;

  /// Its parameters.
  final GraphParams params;

  /// The table that is not fitted.
  private transient @Nullable Dataset<Row> other;

  /// @param uid a unique name
  /// @param outputs what is predicted
  GraphEstimator(String uid, Outputs outputs) {
    this.uid = uid;
    params = new GraphParams(this, outputs);
    params.setDefaults();
  }

  static String random(Class<?> type) {
    return Identifiable.randomUID(type.getSimpleName());
  }

  @Override
  public String uid() {
    return uid;
  }

  @Override
  public Param<?>[] params() {
    return params.all();
  }

  /// Sets the table that is not fitted. It is no parameter: a saved estimator needs it again.
  final E beside(Dataset<Row> table) {
    other = table;
    return self();
  }

  /// Sets a parameter by its name: a setting of `gossamer train`, or one of those below.
  ///
  /// @param name as `labelSmoothing`, or of the flag, `label-smoothing`
  /// @param value a number, a truth value or a text; several numbers with commas, `256,128`
  /// @return this
  /// @throws IllegalArgumentException if there is no such setting, or it has another type
  public E setting(String name, Object value) {
    params.set(name, value);
    return self();
  }

  /// Sets the number of ranks, which are tasks of one barrier stage.
  ///
  /// @param count at least 1, and at most the slots of the cluster
  /// @return this
  public E setRanks(int count) {
    return with(params.ranks.w(count));
  }

  /// Sets the column of vertices with their ids: texts or whole numbers.
  ///
  /// @param column `id` by default
  /// @return this
  public E setIdCol(String column) {
    return with(params.idCol.w(column));
  }

  /// Sets the columns of vertices that are features.
  ///
  /// @param columns by default all that are nothing else; none if empty
  /// @return this
  public E setFeaturesCols(String... columns) {
    return with(params.featuresCols.w(columns));
  }

  /// Sets the columns of vertices whose words are features.
  ///
  /// @param columns of texts; none by default
  /// @return this
  public E setTextCols(String... columns) {
    return with(params.textCols.w(columns));
  }

  /// Sets a folder that the driver and all executors reach, for tables on their way and for runs.
  ///
  /// @param path in any Hadoop file system
  /// @return this
  public E setFolder(String path) {
    return with(params.folder.w(path));
  }

  final E with(ParamPair<?> pair) {
    set(pair);
    return self();
  }

  @SuppressWarnings("unchecked") // As its declaration says.
  final E self() {
    return (E) this;
  }

  @Override
  public M fit(Dataset<?> rows) {
    Dataset<Row> beside = other;
    if (beside == null) {
      throw new IllegalArgumentException(
          "expected %s, found none; name them before fit".formatted(missing()));
    }
    transformSchema(rows.schema());
    Dataset<Row> fitted = rows.toDF();
    StagedTables tables = tables(fitted, beside);
    Labels labels = labels(fitted);
    RunHome home = RunHome.create(rows.sparkSession(), getOrDefault(params.folder));
    try {
      home.write(
          "schema.yaml",
          tables.schema(home.name(), labels.column() != null, labels.task(), labels.classes()));
      tables.write(home.path("tables"), labels.column());
      Map<String, Object> settings = params.training.set(this);
      settings.putIfAbsent("seed", 0);
      settings.putAll(labels.settings());
      home.write("settings.yaml", RunHome.json(settings));
      String output = home.train((int) (Integer) getOrDefault(params.ranks));
      M model = model(new ModelState(home.model(), labels.classes(), labels.areNumbers(), output));
      model.on(tables).setParent(this);
      // Other columns of the tables to come are not looked at.
      return copyValues(model, new ParamMap())
          .with(model.params.featuresCols.w(tables.featureNames()));
    } finally {
      home.leave();
    }
  }

  /// {@return what the other table is, and how it is set}
  abstract String missing();

  abstract StagedTables tables(Dataset<Row> fitted, Dataset<Row> beside);

  /// What is to be learned.
  ///
  /// @param column as it is written to the table; null for nothing of vertices
  /// @param task of the labels, as in a schema of tables
  /// @param classes in their order; empty of numbers
  /// @param areNumbers whether the column has numbers
  /// @param settings of the training that follow
  record Labels(
      @Nullable Column column,
      String task,
      List<String> classes,
      boolean areNumbers,
      Map<String, Object> settings) {
    /// Names of classes.
    static Labels ofTexts(Column column, List<String> classes) {
      return new Labels(column, "classification", classes, false, Map.of());
    }

    /// Numbers of classes.
    static Labels ofNumbers(Column column, List<String> classes) {
      return new Labels(column, "classification", classes, true, Map.of());
    }

    /// Any numbers.
    static Labels ofReals(Column column) {
      return new Labels(column, "regression", List.of(), true, Map.of());
    }

    /// Nothing of vertices, but edges that are held out.
    static Labels ofEdges() {
      return new Labels(null, "classification", List.of(), false, Map.of("task", "links"));
    }
  }

  abstract Labels labels(Dataset<Row> fitted);

  abstract M model(ModelState state);

  @Override
  public E copy(ParamMap extra) {
    E copy = defaultCopy(extra);
    Dataset<Row> table = other;
    return table == null ? copy : copy.beside(table);
  }
}
