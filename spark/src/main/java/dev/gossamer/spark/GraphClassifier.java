package dev.gossamer.spark;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;

/// Learns classes of vertices.
///
/// ```java
/// GraphClassificationModel model =
///     new GraphClassifier().setEdges(edges).setRanks(2).setting("epochs", 100).fit(vertices);
/// model.transform(vertices).select("id", "prediction", "probability").show();
/// ```
///
/// Labels are texts, or the numbers 0, 1, 2 and so on, as elsewhere in Spark ML; predictions are of
/// the same kind.
public final class GraphClassifier
    extends VertexEstimator<GraphClassifier, GraphClassificationModel> {
  private static final int MOST_CLASSES = 10_000;

  /// A classifier with defaults.
  public GraphClassifier() {
    this(random(GraphClassifier.class));
  }

  /// A classifier of this name.
  ///
  /// @param uid a unique name
  public GraphClassifier(String uid) {
    super(uid, Outputs.CLASSES);
  }

  /// Sets the column of the predictions.
  ///
  /// @param column `prediction` by default; empty for none
  /// @return this
  public GraphClassifier setPredictionCol(String column) {
    return with(params.predictionCol.w(column));
  }

  /// Sets the column of the probabilities of all classes.
  ///
  /// @param column `probability` by default; empty for none
  /// @return this
  public GraphClassifier setProbabilityCol(String column) {
    return with(params.probabilityCol.w(column));
  }

  @Override
  Labels labels(Dataset<Row> vertices) {
    String name = getOrDefault(params.labelCol);
    StagedTables.require(vertices.schema(), "vertices", name);
    Column given = StagedTables.column(vertices, name);
    if (!(vertices.schema().apply(name).dataType() instanceof NumericType)) {
      Column text = given.cast(DataTypes.StringType);
      List<String> classes =
          vertices
              .select(text)
              .where(text.isNotNull())
              .distinct()
              .limit(MOST_CLASSES + 1)
              .collectAsList()
              .stream()
              .map(row -> row.getString(0))
              .sorted()
              .toList();
      require(classes.size());
      return Labels.ofTexts(text, classes);
    }
    // Null of what no whole number is, as NaN.
    Column whole = given.try_cast(DataTypes.LongType);
    Column other = given.isNotNull().and(whole.isNull().or(given.notEqual(whole)).or(given.lt(0)));
    Row found =
        vertices.agg(functions.count(functions.when(other, true)), functions.max(whole)).first();
    if (found.getLong(0) > 0) {
      throw new IllegalArgumentException(
          "vertices: column %s: expected classes 0, 1, 2 and so on, found others in %d rows; texts name classes freely, and GraphRegressor learns numbers"
              .formatted(name, found.getLong(0)));
    }
    long count = found.isNullAt(1) ? 0 : found.getLong(1) + 1;
    require(count);
    return Labels.ofNumbers(
        whole.cast(DataTypes.StringType),
        IntStream.range(0, (int) count).mapToObj(Integer::toString).toList());
  }

  private void require(long classes) {
    if (classes < 2 || classes > MOST_CLASSES) {
      throw new IllegalArgumentException(
          "vertices: column %s: expected 2 to %d classes, found %s"
              .formatted(
                  getOrDefault(params.labelCol),
                  MOST_CLASSES,
                  classes > MOST_CLASSES ? "more" : Long.toString(classes)));
    }
  }

  @Override
  GraphClassificationModel model(ModelState state) {
    return new GraphClassificationModel(uid(), state);
  }

  @Override
  DataType predictionType(StructType schema) {
    String name = getOrDefault(params.labelCol);
    StagedTables.require(schema, "vertices", name);
    return schema.apply(name).dataType() instanceof NumericType
        ? DataTypes.DoubleType
        : DataTypes.StringType;
  }

  /// {@return a reader of estimators}
  public static MLReader<GraphClassifier> read() {
    return new DefaultParamsReader<>();
  }

  /// {@return the estimator in a folder}
  ///
  /// @param path of the folder
  public static GraphClassifier load(String path) {
    return read().load(path);
  }
}
