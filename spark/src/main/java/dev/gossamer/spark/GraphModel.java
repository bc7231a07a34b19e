package dev.gossamer.spark;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamPair;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/// A trained graph network, which adds predictions to a DataFrame.
///
/// It predicts on the edges that it was trained on, or on others ([#setEdges]), which a model that
/// was loaded needs. Edges to vertices that are not there are left out. Computing is not lazy:
/// [#transform] runs a stage.
///
/// @param <M> the model itself
public abstract class GraphModel<M extends GraphModel<M>> extends Model<M> implements MLWritable {
  /// Name of the model.
  private final String uid;

  /// What was learned.
  private final ModelState state;

  /// Its parameters.
  final GraphParams params;

  private transient @Nullable Dataset<Row> edges;
  private transient @Nullable Dataset<Row> vertices;

  GraphModel(String uid, ModelState state, Outputs outputs) {
    this.uid = uid;
    this.state = state;
    params = new GraphParams(this, outputs);
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

  /// Sets the vertices, where they are not what is transformed.
  final M among(Dataset<Row> table) {
    vertices = table;
    return self();
  }

  /// Sets tables that the model was trained on.
  abstract M on(StagedTables tables);

  /// {@return the edges}
  final Dataset<Row> edges() {
    return required(edges, "edges", "setEdges");
  }

  /// {@return the vertices, where they are not what is transformed}
  final Dataset<Row> vertices() {
    return required(vertices, "vertices", "setVertices");
  }

  private static Dataset<Row> required(@Nullable Dataset<Row> table, String what, String setter) {
    if (table == null) {
      throw new IllegalArgumentException(
          "expected %s, found none; name them by %s before transform".formatted(what, setter));
    }
    return table;
  }

  /// Brings a graph and the model to where ranks find them.
  final RunHome stage(StagedTables tables) {
    RunHome home = RunHome.create(tables.vertices().sparkSession(), getOrDefault(params.folder));
    home.leaveAtExit();
    tables.write(home.path("tables"), null);
    home.write("model.safetensors", state.file());
    return home;
  }

  /// The graph of a prediction may have edges to vertices that it has not: they are left out unless
  /// they are to be refused.
  final List<String> handling() {
    String dangling = isSet(params.onDangling) ? getOrDefault(params.onDangling) : "drop";
    return List.of(
        "--on-dangling=" + dangling,
        "--on-duplicate=" + getOrDefault(params.onDuplicate),
        "--on-missing=" + getOrDefault(params.onMissing));
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

  final M with(ParamPair<?> pair) {
    set(pair);
    return self();
  }

  @SuppressWarnings("unchecked") // As its declaration says.
  private M self() {
    return (M) this;
  }

  abstract M with(ModelState learned);

  @Override
  public M copy(ParamMap extra) {
    M copy = copyValues(with(state), extra);
    if (edges != null) {
      copy.setEdges(edges);
    }
    if (vertices != null) {
      copy.among(vertices);
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
