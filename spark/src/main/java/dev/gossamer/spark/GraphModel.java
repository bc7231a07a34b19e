package dev.gossamer.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.functions;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamPair;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// A trained graph network, which adds predictions to a DataFrame of vertices.
///
/// It predicts on the edges that it was trained on, or on others ([#setEdges]), which a model that
/// was loaded needs. The graph has the vertices of the DataFrame; edges to others are left out.
/// Computing is not lazy: [#transform] runs a stage.
///
/// @param <M> the model itself
public abstract class GraphModel<M extends GraphModel<M>> extends Model<M> implements MLWritable {
  private static final String ID = "gossamer_id";

  /// Name of the model.
  private final String uid;

  /// What was learned.
  private final ModelState state;

  /// Its parameters.
  final GraphParams params;

  private transient @Nullable Dataset<Row> edges;

  GraphModel(String uid, ModelState state, boolean links) {
    this.uid = uid;
    this.state = state;
    params = new GraphParams(this, links);
    params.setDefaults();
  }

  @Override
  public String uid() {
    return uid;
  }

  @Override
  public Param<?>[] params() {
    return params.all();
  }

  /// {@return what was learned}
  ModelState state() {
    return state;
  }

  /// {@return scores, settings and costs of the run: the JSON that `gossamer train --json` prints}
  public String summary() {
    return state.summary();
  }

  /// {@return the model file, which the command line and the library read}
  public byte[] modelFile() {
    return state.file().clone();
  }

  /// Sets the edges between the vertices of predictions.
  ///
  /// @param table a row per edge
  /// @return this
  public M setEdges(Dataset<Row> table) {
    edges = table;
    return self();
  }

  /// Sets the number of ranks that predict.
  ///
  /// @param count at least 1, and at most the slots of the cluster
  /// @return this
  public M setRanks(int count) {
    return with(params.ranks.w(count));
  }

  /// Sets a folder that the driver and all executors reach.
  ///
  /// @param path in any Hadoop file system
  /// @return this
  public M setFolder(String path) {
    return with(params.folder.w(path));
  }

  /// Sets the column of the predictions.
  ///
  /// @param column `prediction` by default
  /// @return this
  public M setPredictionCol(String column) {
    return with(params.predictionCol.w(column));
  }

  /// Sets the column of the activations of the last hidden layer.
  ///
  /// @param column none by default
  /// @return this
  public M setEmbeddingCol(String column) {
    return with(params.embeddingCol.w(column));
  }

  final M with(ParamPair<?> pair) {
    set(pair);
    return self();
  }

  @SuppressWarnings("unchecked") // As its declaration says.
  private M self() {
    return (M) this;
  }

  @Override
  public Dataset<Row> transform(Dataset<?> vertices) {
    Dataset<Row> ends = edges;
    if (ends == null) {
      throw new IllegalArgumentException(
          "expected edges, found none; name them with setEdges before transform");
    }
    transformSchema(vertices.schema());
    Dataset<Row> rows = vertices.toDF();
    String id = getOrDefault(params.idCol);
    StagedTables tables = new StagedTables(params, rows, ends);
    RunHome home = RunHome.create(rows.sparkSession(), getOrDefault(params.folder));
    home.leaveAtExit();
    tables.write(home.path("tables"), null);
    home.write("model.safetensors", state.file());
    Dataset<Row> predicted =
        rows.sparkSession()
            .read()
            .parquet(
                home.predict((int) (Integer) getOrDefault(params.ranks), handling(), wanted()));
    List<Column> added = new ArrayList<>();
    added.add(predicted.col("id").cast(tables.idType()).as(ID));
    Column prediction = prediction(predicted);
    if (prediction != null) {
      added.add(prediction.as(getOrDefault(params.predictionCol)));
    }
    String probability = probabilityCol();
    if (!probability.isEmpty()) {
      Column[] all =
          state.classes().stream()
              .map(name -> StagedTables.column(predicted, name))
              .toArray(Column[]::new);
      added.add(
          functions.array_to_vector(org.apache.spark.sql.functions.array(all)).as(probability));
    }
    String embedding = getOrDefault(params.embeddingCol);
    if (!embedding.isEmpty()) {
      added.add(functions.array_to_vector(embedding(predicted)).as(embedding));
    }
    Dataset<Row> results = predicted.select(added.toArray(Column[]::new));
    return rows.join(
            results,
            StagedTables.column(rows, id).cast(tables.idType()).equalTo(results.col(ID)),
            "left")
        .drop(ID);
  }

  private String probabilityCol() {
    return hasProbability() ? getOrDefault(params.probabilityCol) : "";
  }

  private List<String> wanted() {
    List<String> flags = new ArrayList<>();
    if (!probabilityCol().isEmpty()) {
      flags.add("--probabilities");
    }
    if (!getOrDefault(params.embeddingCol).isEmpty() && !isVector()) {
      flags.add("--embeddings");
    }
    return flags;
  }

  /// A part of the vertices has edges to the rest, which are left out unless they are to be
  /// refused.
  private List<String> handling() {
    String dangling = isSet(params.onDangling) ? getOrDefault(params.onDangling) : "drop";
    return List.of(
        "--on-dangling=" + dangling,
        "--on-duplicate=" + getOrDefault(params.onDuplicate),
        "--on-missing=" + getOrDefault(params.onMissing));
  }

  /// {@return the predictions, with their type; null if vertices have none}
  ///
  /// @param table as `gossamer predict` writes it
  abstract @Nullable Column prediction(Dataset<Row> table);

  abstract @Nullable DataType predictionType(StructType schema);

  abstract boolean hasProbability();

  /// {@return whether what is predicted is itself a vector of the vertex}
  boolean isVector() {
    return false;
  }

  private Column embedding(Dataset<Row> table) {
    return isVector()
        ? org.apache.spark.sql.functions.array(
            Arrays.stream(table.columns())
                .filter(name -> !name.equals("id"))
                .map(name -> StagedTables.column(table, name))
                .toArray(Column[]::new))
        : table.col("embedding");
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return params.transformed(schema, predictionType(schema), hasProbability());
  }

  abstract M with(ModelState learned);

  @Override
  public M copy(ParamMap extra) {
    M copy = copyValues(with(state), extra);
    Dataset<Row> ends = edges;
    if (ends != null) {
      copy.setEdges(ends);
    }
    return copy.setParent(parent());
  }

  @Override
  public MLWriter write() {
    return new ModelFiles.Writer(this);
  }

  @Override
  public void save(String path) throws IOException {
    write().save(path);
  }

  @Override
  public String toString() {
    return "%s: uid=%s, classes=%s"
        .formatted(getClass().getSimpleName(), uid, Arrays.toString(state.classes().toArray()));
  }
}
