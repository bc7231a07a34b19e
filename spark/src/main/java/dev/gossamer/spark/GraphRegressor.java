package dev.gossamer.spark;

import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;

/// Learns a number of each vertex.
public final class GraphRegressor extends VertexEstimator<GraphRegressor, GraphRegressionModel> {
  /// A regressor with defaults.
  public GraphRegressor() {
    this(random(GraphRegressor.class));
  }

  /// A regressor of this name.
  ///
  /// @param uid a unique name
  public GraphRegressor(String uid) {
    super(uid, Outputs.NUMBERS);
  }

  /// Sets the column of the predictions.
  ///
  /// @param column `prediction` by default; empty for none
  /// @return this
  public GraphRegressor setPredictionCol(String column) {
    return with(params.predictionCol.w(column));
  }

  @Override
  Labels labels(Dataset<Row> vertices) {
    String name = getOrDefault(params.labelCol);
    return Labels.ofReals(StagedTables.column(vertices, name).cast(DataTypes.DoubleType));
  }

  @Override
  GraphRegressionModel model(ModelState state) {
    return new GraphRegressionModel(uid(), state);
  }

  @Override
  DataType predictionType(StructType schema) {
    String name = getOrDefault(params.labelCol);
    StagedTables.require(schema, "vertices", name);
    DataType type = schema.apply(name).dataType();
    if (!(type instanceof NumericType)) {
      throw new IllegalArgumentException(
          "vertices: column %s: expected numbers, found %s; GraphClassifier learns classes"
              .formatted(name, type.simpleString()));
    }
    return DataTypes.DoubleType;
  }

  /// {@return a reader of estimators}
  public static MLReader<GraphRegressor> read() {
    return new DefaultParamsReader<>();
  }

  /// {@return the estimator in a folder}
  ///
  /// @param path of the folder
  public static GraphRegressor load(String path) {
    return read().load(path);
  }
}
