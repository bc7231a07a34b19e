package dev.gossamer.spark;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// Learns something of vertices, which are fitted.
///
/// @param <E> the estimator itself
/// @param <M> what it fits
public abstract sealed class VertexEstimator<
        E extends VertexEstimator<E, M>, M extends VertexModel<M>>
    extends GraphEstimator<E, M> permits GraphClassifier, GraphRegressor, GraphEmbedder {
  VertexEstimator(String uid, Outputs outputs) {
    super(uid, outputs);
  }

  /// Sets the edges. They are no parameter: a saved estimator needs them again.
  ///
  /// @param table a row per edge
  /// @return this
  public E setEdges(Dataset<Row> table) {
    return beside(table);
  }

  /// Sets the column of vertices with what is to be learned; null where it is not known.
  ///
  /// @param column `label` by default
  /// @return this
  public E setLabelCol(String column) {
    return with(params.labelCol.w(column));
  }

  /// Sets the column of vertices that says which are for training (`train`), for choosing the best
  /// epoch (`validation`) and for the score (`test`).
  ///
  /// @param column `split` by default, if there is one of this name
  /// @return this
  public E setSplitCol(String column) {
    return with(params.splitCol.w(column));
  }

  /// Sets the column of the activations of the last hidden layer.
  ///
  /// @param column none by default
  /// @return this
  public E setEmbeddingCol(String column) {
    return with(params.embeddingCol.w(column));
  }

  @Override
  String missing() {
    return "edges, by setEdges";
  }

  @Override
  StagedTables tables(Dataset<Row> fitted, Dataset<Row> beside) {
    return new StagedTables(params, fitted, beside);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return params.transformed(schema, predictionType(schema));
  }

  abstract @Nullable DataType predictionType(StructType schema);
}
