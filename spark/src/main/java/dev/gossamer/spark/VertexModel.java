package dev.gossamer.spark;

import static org.apache.spark.sql.functions.array;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.functions;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// Adds predictions to a DataFrame of vertices: the graph has these, and the edges between them.
///
/// @param <M> the model itself
public abstract class VertexModel<M extends VertexModel<M>> extends GraphModel<M> {
  /// What is predicted.
  private final Outputs outputs;

  VertexModel(String uid, ModelState state, Outputs outputs) {
    super(uid, state, outputs);
    this.outputs = outputs;
  }

  @Override
  M on(StagedTables tables) {
    return setEdges(tables.edges());
  }

  /// Sets the column of the activations of the last hidden layer.
  ///
  /// @param column none by default
  /// @return this
  public M setEmbeddingCol(String column) {
    return with(params.embeddingCol.w(column));
  }

  @Override
  public Dataset<Row> transform(Dataset<?> vertices) {
    Dataset<Row> ends = edges();
    transformSchema(vertices.schema());
    Dataset<Row> rows = vertices.toDF();
    String id = getOrDefault(params.idCol);
    StagedTables tables = new StagedTables(params, rows, ends);
    RunHome home = stage(tables);
    Dataset<Row> predicted =
        rows.sparkSession()
            .read()
            .parquet(
                home.predict((int) (Integer) getOrDefault(params.ranks), handling(), wanted()));
    List<Column> added = new ArrayList<>();
    added.add(predicted.col("id").cast(tables.idType()).as(StagedTables.ID));
    Column prediction = prediction(predicted);
    if (prediction != null && !getOrDefault(params.predictionCol).isEmpty()) {
      added.add(prediction.as(getOrDefault(params.predictionCol)));
    }
    String probability = probabilityCol();
    if (!probability.isEmpty()) {
      Column all = array(StagedTables.last(predicted, state().classes().size()));
      added.add(functions.array_to_vector(all).as(probability));
    }
    String embedding = getOrDefault(params.embeddingCol);
    if (!embedding.isEmpty()) {
      added.add(functions.array_to_vector(embedding(predicted)).as(embedding));
    }
    Dataset<Row> results = predicted.select(added.toArray(Column[]::new));
    return rows.join(
            results,
            StagedTables.column(rows, id)
                .cast(tables.idType())
                .equalTo(results.col(StagedTables.ID)),
            "left")
        .drop(StagedTables.ID);
  }

  private String probabilityCol() {
    return outputs.haveProbabilities() ? getOrDefault(params.probabilityCol) : "";
  }

  private List<String> wanted() {
    List<String> flags = new ArrayList<>();
    if (!probabilityCol().isEmpty()) {
      flags.add("--probabilities");
    }
    if (!getOrDefault(params.embeddingCol).isEmpty() && outputs != Outputs.VECTORS) {
      flags.add("--embeddings");
    }
    return flags;
  }

  /// {@return the predictions, with their type; null if vertices have none}
  ///
  /// @param table as `gossamer predict` writes it
  abstract @Nullable Column prediction(Dataset<Row> table);

  abstract @Nullable DataType predictionType(StructType schema);

  private Column embedding(Dataset<Row> table) {
    return outputs == Outputs.VECTORS
        ? array(StagedTables.last(table, table.columns().length - 1))
        : table.col("embedding");
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return params.transformed(schema, predictionType(schema));
  }
}
