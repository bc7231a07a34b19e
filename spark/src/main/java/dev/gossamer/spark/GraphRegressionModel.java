package dev.gossamer.spark;

import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/// A trained regressor, which adds a number to each vertex.
public final class GraphRegressionModel extends VertexModel<GraphRegressionModel> {
  GraphRegressionModel(String uid, ModelState state) {
    super(uid, state, Outputs.NUMBERS);
  }

  /// Sets the column of the predictions.
  ///
  /// @param column `prediction` by default; empty for none
  /// @return this
  public GraphRegressionModel setPredictionCol(String column) {
    return with(params.predictionCol.w(column));
  }

  @Override
  Column prediction(Dataset<Row> table) {
    return StagedTables.last(table, 1)[0].cast(DataTypes.DoubleType);
  }

  @Override
  DataType predictionType(StructType schema) {
    return DataTypes.DoubleType;
  }

  @Override
  GraphRegressionModel with(ModelState learned) {
    return new GraphRegressionModel(uid(), learned);
  }

  /// {@return a reader of models}
  public static MLReader<GraphRegressionModel> read() {
    return new ModelFiles.Reader<>(GraphRegressionModel.class, GraphRegressionModel::new);
  }

  /// {@return the model in a folder}
  ///
  /// @param path of the folder
  public static GraphRegressionModel load(String path) {
    return read().load(path);
  }
}
