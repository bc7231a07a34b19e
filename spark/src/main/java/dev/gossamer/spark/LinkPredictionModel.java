package dev.gossamer.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/// Says of pairs of vertices how likely an edge is.
///
/// It has the vertices and edges that it was trained on, also those that were held out, or others
/// ([#setVertices], [#setEdges]), which a model that was loaded needs. The probability is that
/// among edges and as many drawn pairs, which is far more than the share of edges among all pairs:
/// use it as an order. It is null where an end of a pair is no vertex.
public final class LinkPredictionModel extends GraphModel<LinkPredictionModel> {
  private static final double HALF = 0.5;

  LinkPredictionModel(String uid, ModelState state) {
    super(uid, state, Outputs.EDGES);
  }

  /// Sets the vertices.
  ///
  /// @param table a row per vertex
  /// @return this
  public LinkPredictionModel setVertices(Dataset<Row> table) {
    return among(table);
  }

  @Override
  LinkPredictionModel on(StagedTables tables) {
    return setVertices(tables.vertices()).setEdges(tables.edges());
  }

  /// Sets the column of the predictions.
  ///
  /// @param column `prediction` by default: 1 where an edge is likelier than none, else 0; empty
  ///   for none
  /// @return this
  public LinkPredictionModel setPredictionCol(String column) {
    return with(params.predictionCol.w(column));
  }

  /// Sets the column of the probabilities.
  ///
  /// @param column `probability` by default; empty for none
  /// @return this
  public LinkPredictionModel setProbabilityCol(String column) {
    return with(params.probabilityCol.w(column));
  }

  @Override
  public Dataset<Row> transform(Dataset<?> pairs) {
    transformSchema(pairs.schema());
    Dataset<Row> rows = pairs.toDF();
    StagedTables tables = new StagedTables(params, vertices(), edges());
    RunHome home = stage(tables);
    tables.writePairs(home.path("tables/pairs"), rows);
    String scored = home.predictPairs((int) (Integer) getOrDefault(params.ranks), handling());
    return joined(rows, rows.sparkSession().read().parquet(scored), tables.idType());
  }

  /// Adds the probabilities of pairs to all rows that have them.
  private Dataset<Row> joined(Dataset<Row> rows, Dataset<Row> scored, DataType idType) {
    List<String> keys = Arrays.asList(scored.columns()).subList(0, scored.columns().length - 1);
    List<Column> columns = new ArrayList<>();
    String[] copies = new String[keys.size()];
    Column same = functions.lit(true);
    for (int k = 0; k < copies.length; k++) {
      DataType type = k < 2 ? idType : DataTypes.StringType;
      copies[k] = StagedTables.ID + k;
      columns.add(StagedTables.column(scored, keys.get(k)).cast(type).as(copies[k]));
      Column own = StagedTables.column(rows, keys.get(k)).try_cast(type);
      same = same.and(own.equalTo(functions.col(copies[k])));
    }
    Column probability = StagedTables.last(scored, 1)[0].cast(DataTypes.DoubleType);
    String predictions = getOrDefault(params.predictionCol);
    if (!predictions.isEmpty()) {
      columns.add(functions.when(probability.geq(HALF), 1.0).otherwise(0.0).as(predictions));
    }
    String probabilities = getOrDefault(params.probabilityCol);
    if (!probabilities.isEmpty()) {
      columns.add(probability.as(probabilities));
    }
    // A type that the model does not tell apart was left out.
    Dataset<Row> results = scored.select(columns.toArray(Column[]::new)).distinct();
    return rows.join(results, same, "left").drop(copies);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return params.transformedPairs(schema);
  }

  @Override
  LinkPredictionModel with(ModelState learned) {
    return new LinkPredictionModel(uid(), learned);
  }

  /// {@return a reader of models}
  public static MLReader<LinkPredictionModel> read() {
    return new ModelFiles.Reader<>(LinkPredictionModel.class, LinkPredictionModel::new);
  }

  /// {@return the model in a folder}
  ///
  /// @param path of the folder
  public static LinkPredictionModel load(String path) {
    return read().load(path);
  }
}
