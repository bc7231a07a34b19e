package dev.gossamer.spark;

import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// A trained embedder, which adds a vector to each vertex.
public final class GraphEmbeddingModel extends VertexModel<GraphEmbeddingModel> {
  GraphEmbeddingModel(String uid, ModelState state) {
    super(uid, state, Outputs.VECTORS);
  }

  @Override
  @Nullable Column prediction(Dataset<Row> table) {
    return null;
  }

  @Override
  @Nullable DataType predictionType(StructType schema) {
    return null;
  }

  @Override
  GraphEmbeddingModel with(ModelState learned) {
    return new GraphEmbeddingModel(uid(), learned);
  }

  /// {@return a reader of models}
  public static MLReader<GraphEmbeddingModel> read() {
    return new ModelFiles.Reader<>(GraphEmbeddingModel.class, GraphEmbeddingModel::new);
  }

  /// {@return the model in a folder}
  ///
  /// @param path of the folder
  public static GraphEmbeddingModel load(String path) {
    return read().load(path);
  }
}
