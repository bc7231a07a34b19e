package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.spark.ranks.TwoThreads;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tables in, predictions out, on two executors.
class GraphClassifierTest {
  private static SparkSession spark;
  private static Dataset<Row> vertices;
  private static Dataset<Row> edges;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark = Cluster.start();
    vertices = Cluster.vertices(spark).cache();
    edges = Cluster.edges(spark).cache();
  }

  private static GraphClassifier classifier() {
    return new GraphClassifier().setEdges(edges).setRanks(2).setting("epochs", 20);
  }

  @Test
  void predictsMostClassesAndIsBitIdenticalToTwoThreadRanks() {
    GraphClassificationModel model = classifier().setting("placement", "block").fit(vertices);

    // It was not there when the model was trained, and cannot be sorted.
    Column notes = functions.map(functions.lit("seen"), functions.lit(1));
    List<Row> predicted =
        model
            .setEmbeddingCol("embedding")
            .transform(vertices.withColumn("notes", notes))
            .orderBy("id")
            .collectAsList();

    assertThat(predicted).hasSize(300);
    long known = predicted.stream().filter(row -> row.getAs("label") != null).count();
    long right =
        predicted.stream()
            .filter(row -> row.getAs("prediction").equals(row.getAs("label")))
            .count();
    assertThat(right).isGreaterThan(known * 8 / 10);
    assertThat(model.labels()).containsExactly("class-a", "class-b", "class-c");
    for (Row row : predicted) {
      Vector probabilities = row.getAs("probability");
      assertThat(probabilities.toArray()).hasSize(3);
      assertThat(model.labels()[probabilities.argmax()]).isEqualTo(row.getAs("prediction"));
      assertThat(((Vector) row.getAs("embedding")).size()).isEqualTo(64);
    }
    assertThat(model.summary()).contains("\"ranks\":2", "\"test_accuracy\":");

    StagedTables tables = new StagedTables(new GraphClassifier().params, vertices, edges);
    Path staged = folder.resolve("tables");
    tables.write(staged.toString(), vertices.col("label"));
    byte[] threads =
        TwoThreads.train(
            folder,
            tables.schema("graph", true, "classification", List.of(model.labels())),
            "--epochs=20",
            "--placement=block");
    assertThat(model.modelFile()).isEqualTo(threads);
  }

  /// Other columns of the table that Gossamer writes have these names.
  @Test
  void probabilitiesFollowTheClassesWhateverTheirNames() {
    Map<String, String> names =
        Map.of("class-a", "probability", "class-b", "class", "class-c", "Class");
    Dataset<Row> renamed = vertices.na().replace("label", names);
    GraphClassificationModel model = classifier().setRanks(1).setPredictionCol("").fit(renamed);

    Dataset<Row> predicted = model.transform(renamed);

    assertThat(predicted.columns()).containsExactly("id", "x", "y", "team", "label", "probability");
    assertThat(model.labels()).containsExactly("Class", "class", "probability");
    List<Row> known = predicted.where("label is not null").collectAsList();
    assertThat(known)
        .filteredOn(row ->
            row.getAs("label").equals(model.labels()[((Vector) row.getAs("probability")).argmax()]))
        .hasSizeGreaterThan(known.size() * 8 / 10);
  }

  @Test
  void columnsThatCannotBeFeaturesAreRefusedBeforeAnythingIsWritten() {
    Dataset<Row> noted =
        vertices.withColumn("notes", functions.map(functions.lit("seen"), functions.lit(1)));

    assertThatThrownBy(() -> classifier().setFolder(folder.toString()).fit(noted))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("name the columns of features with featuresCols");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void labelsThatAreNoNumbersOfClassesAreCounted() {
    for (double other : new double[] {Double.NaN, 1.5, -1, 1e30}) {
      Dataset<Row> numbered =
          vertices.withColumn(
              "label",
              functions
                  .when(vertices.col("id").isin("v0", "v1", "v2"), other)
                  .when(vertices.col("label").isNotNull(), 1.0));

      assertThatThrownBy(() -> classifier().fit(numbered))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected classes 0, 1, 2 and so on, found others in 3 rows");
    }
  }

  @Test
  @Tag("endurance")
  void numbersAsLabelsGiveNumbersAsPredictions() throws Exception {
    Dataset<Row> numbered =
        vertices.withColumn(
            "label",
            functions
                .instr(functions.lit("abc"), functions.substring(vertices.col("label"), 7, 1))
                .minus(1)
                .cast(DataTypes.DoubleType));
    GraphClassificationModel model = classifier().setRanks(1).fit(numbered);
    Path saved = folder.resolve("model");
    model.save(saved.toString());

    GraphClassificationModel loaded =
        GraphClassificationModel.load(saved.toString()).setEdges(edges);
    Dataset<Row> predicted = loaded.transform(numbered);

    assertThat(predicted.schema().apply("prediction").dataType()).isEqualTo(DataTypes.DoubleType);
    assertThat(predicted.where("prediction = label").count()).isGreaterThan(190);
    assertThat(loaded.summary()).isEqualTo(model.summary());
    assertThat(loaded.modelFile()).isEqualTo(model.modelFile());
  }

  @Test
  void edgesToNoVertexAreRefusedInOneLine() {
    Dataset<Row> dangling = edges.union(spark.sql("select 'v0' as src, 'nobody' as dst"));

    assertThatThrownBy(() -> classifier().setEdges(dangling).fit(vertices))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nobody")
        .hasMessageNotContaining("\n");
  }

  /// Another attempt would come to the same end.
  @Test
  void aTrainingThatDivergesIsNotRepeated() {
    assertThatThrownBy(() -> classifier().setting("lr", 1e38).fit(vertices))
        .isInstanceOf(TrainingFailedException.class)
        .hasMessageMatching("epoch \\d: the loss is .* layer \\d .*");
  }

  @Test
  void settingsThatDoNotSuitAreRefusedInOneLine() {
    assertThatThrownBy(() -> classifier().setting("heads", 3).fit(vertices))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("heads")
        .hasMessageNotContaining("\n");
  }
}
