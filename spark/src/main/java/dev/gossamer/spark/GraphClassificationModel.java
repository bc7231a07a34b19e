package dev.gossamer.spark;

import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/// A trained classifier, which adds the class of each vertex and the probability of each class.
public final class GraphClassificationModel extends VertexModel<GraphClassificationModel> {
  GraphClassificationModel(String uid, ModelState state) {
    super(uid, state, Outputs.CLASSES);
  }

  /// {@return names of the classes, in the order of the probabilities}
  public String[] labels() {
    return state().classes().toArray(String[]::new);
  }

  /// Sets the column of the predictions.
  ///
  /// @param column `prediction` by default; empty for none
  /// @return this
  public GraphClassificationModel setPredictionCol(String column) {
    return with(params.predictionCol.w(column));
  }

  /// Sets the column of the probabilities of all classes.
  ///
  /// @param column `probability` by default; empty for none
  /// @return this
  public GraphClassificationModel setProbabilityCol(String column) {
    return with(params.probabilityCol.w(column));
  }

  @Override
  Column prediction(Dataset<Row> table) {
    return table.col("class").cast(predictionType(table.schema()));
  }

  @Override
  DataType predictionType(StructType schema) {
    return state().areNumbers() ? DataTypes.DoubleType : DataTypes.StringType;
  }

  @Override
  GraphClassificationModel with(ModelState learned) {
    return new GraphClassificationModel(uid(), learned);
  }

  /// {@return a reader of models}
  public static MLReader<GraphClassificationModel> read() {
    return new ModelFiles.Reader<>(GraphClassificationModel.class, GraphClassificationModel::new);
  }

  /// {@return the model in a folder}
  ///
  /// @param path of the folder
  public static GraphClassificationModel load(String path) {
    return read().load(path);
  }
}
