package dev.gossamer.spark;

import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/// Learns which vertices have edges: edges are fitted, and whatever pairs are transformed. No
/// labels are needed, but features of vertices.
///
/// ```java
/// LinkPredictionModel model =
///     new LinkPredictor().setVertices(accounts).setRanks(2).fit(payments);
/// model.transform(pairs).orderBy(functions.desc("probability")).show();
/// ```
///
/// Some of the edges are held out to choose the best epoch and to score it (`linkSplit`); the
/// scores are in [LinkPredictionModel#summary].
public final class LinkPredictor extends GraphEstimator<LinkPredictor, LinkPredictionModel> {
  /// A predictor with defaults.
  public LinkPredictor() {
    this(random(LinkPredictor.class));
  }

  /// A predictor of this name.
  ///
  /// @param uid a unique name
  public LinkPredictor(String uid) {
    super(uid, Outputs.EDGES);
  }

  /// Sets the vertices. They are no parameter: a saved estimator needs them again.
  ///
  /// @param table a row per vertex
  /// @return this
  public LinkPredictor setVertices(Dataset<Row> table) {
    return beside(table);
  }

  /// Sets the column of the predictions.
  ///
  /// @param column `prediction` by default; empty for none
  /// @return this
  public LinkPredictor setPredictionCol(String column) {
    return with(params.predictionCol.w(column));
  }

  /// Sets the column of the probabilities.
  ///
  /// @param column `probability` by default; empty for none
  /// @return this
  public LinkPredictor setProbabilityCol(String column) {
    return with(params.probabilityCol.w(column));
  }

  @Override
  String missing() {
    return "vertices, by setVertices";
  }

  @Override
  StagedTables tables(Dataset<Row> fitted, Dataset<Row> beside) {
    return new StagedTables(params, beside, fitted);
  }

  @Override
  Labels labels(Dataset<Row> fitted) {
    return Labels.ofEdges();
  }

  @Override
  LinkPredictionModel model(ModelState state) {
    return new LinkPredictionModel(uid(), state);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return params.transformedPairs(schema);
  }

  /// {@return a reader of estimators}
  public static MLReader<LinkPredictor> read() {
    return new DefaultParamsReader<>();
  }

  /// {@return the estimator in a folder}
  ///
  /// @param path of the folder
  public static LinkPredictor load(String path) {
    return read().load(path);
  }
}
