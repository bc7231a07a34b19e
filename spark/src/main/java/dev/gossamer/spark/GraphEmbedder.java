package dev.gossamer.spark;

import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// Learns a vector of each vertex without labels: such that edges which are held out of the graph
/// are told from pairs without an edge. Features of vertices are needed.
public final class GraphEmbedder extends VertexEstimator<GraphEmbedder, GraphEmbeddingModel> {
  /// An embedder with defaults.
  public GraphEmbedder() {
    this(random(GraphEmbedder.class));
  }

  /// An embedder of this name.
  ///
  /// @param uid a unique name
  public GraphEmbedder(String uid) {
    super(uid, Outputs.VECTORS);
  }

  @Override
  Labels labels(Dataset<Row> vertices) {
    return Labels.ofEdges();
  }

  @Override
  GraphEmbeddingModel model(ModelState state) {
    return new GraphEmbeddingModel(uid(), state);
  }

  @Override
  @Nullable DataType predictionType(StructType schema) {
    return null;
  }

  /// {@return a reader of estimators}
  public static MLReader<GraphEmbedder> read() {
    return new DefaultParamsReader<>();
  }

  /// {@return the estimator in a folder}
  ///
  /// @param path of the folder
  public static GraphEmbedder load(String path) {
    return read().load(path);
  }
}
