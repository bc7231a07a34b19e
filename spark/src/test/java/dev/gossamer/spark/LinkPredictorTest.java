package dev.gossamer.spark;

import static org.apache.spark.sql.functions.avg;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Edges in, probabilities of other pairs out.
class LinkPredictorTest {
  private static final int PAIRS = 100;
  private static SparkSession spark;
  private static Dataset<Row> vertices;
  private static Dataset<Row> edges;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark = Cluster.start();
    vertices = Cluster.vertices(spark).drop("label").cache();
    edges = Cluster.edges(spark).cache();
  }

  private static LinkPredictor predictor() {
    return new LinkPredictor()
        .setVertices(vertices)
        .setting("dropout", 0)
        .setting("embedding", 16)
        .setting("epochs", 30);
  }

  /// Pairs within groups and across them, twice each, and one with an end that is no vertex.
  private static Dataset<Row> pairs() {
    List<Row> rows =
        IntStream.range(0, PAIRS)
            .mapToObj(
                i -> RowFactory.create("v" + i, "v" + (i + (i % 2 == 0 ? 30 : 31)), i % 2 == 0))
            .toList();
    Dataset<Row> once =
        spark.createDataFrame(
            rows,
            new StructType()
                .add("src", DataTypes.StringType)
                .add("dst", DataTypes.StringType)
                .add("within", DataTypes.BooleanType));
    return once.union(once)
        .union(once.limit(1).select(col("src"), lit("nobody"), col("within")))
        .cache();
  }

  private static double mean(Dataset<Row> scored, String condition) {
    return scored.where(condition).agg(avg("probability")).first().getDouble(0);
  }

  @Test
  void pairsThatAreLikeEdgesAreLikelier() throws IOException {
    Dataset<Row> pairs = pairs();
    LinkPredictionModel model = predictor().fit(edges);

    Dataset<Row> scored = model.transform(pairs).cache();

    assertThat(scored.columns())
        .containsExactly("src", "dst", "within", "prediction", "probability");
    assertThat(scored.count()).isEqualTo(2 * PAIRS + 1);
    assertThat(scored.where("probability is null").select("dst").collectAsList())
        .extracting(row -> row.getString(0))
        .containsExactly("nobody");
    assertThat(scored.where("prediction = cast(probability >= 0.5 as double)").count())
        .isEqualTo(2 * PAIRS);
    assertThat(mean(scored, "within")).isGreaterThan(mean(scored, "not within") + .1);

    model.write().overwrite().save(folder.resolve("model").toString());
    LinkPredictionModel loaded = LinkPredictionModel.load(folder.resolve("model").toString());
    assertThatThrownBy(() -> loaded.transform(pairs)).hasMessageContaining("setVertices");
    assertThat(loaded.modelFile()).isEqualTo(model.modelFile());
  }

  @Test
  @Tag("endurance")
  void typesOfEdgesAreToldApart() {
    // Within groups they know each other, across groups they pay.
    Dataset<Row> typed =
        edges.withColumn(
            "type", expr("if(int(substr(src, 2)) % 3 = int(substr(dst, 2)) % 3, 'knows', 'pays')"));
    Dataset<Row> pairs = pairs();
    Dataset<Row> both =
        pairs.withColumn("type", lit("knows")).union(pairs.withColumn("type", lit("pays")));

    Dataset<Row> scored = predictor().fit(typed).transform(both).cache();

    assertThat(scored.count()).isEqualTo(2 * (2 * PAIRS + 1));
    assertThat(mean(scored, "within and type = 'knows'"))
        .isGreaterThan(mean(scored, "within and type = 'pays'") + .1);
  }

  @Test
  @Tag("endurance")
  void aColumnOfEndsMayBeCalledProbability() {
    LinkPredictor predictor =
        predictor().setting("srcCol", "probability").setting("epochs", 1).setProbabilityCol("p");

    Dataset<Row> scored =
        predictor
            .fit(edges.withColumnRenamed("src", "probability"))
            .transform(pairs().withColumnRenamed("src", "probability"));

    assertThat(scored.where("p > 0 and p < 1").count()).isEqualTo(2 * PAIRS);
  }

  @Test
  void columnsAndTablesAreChecked() {
    assertThatThrownBy(() -> new LinkPredictor().fit(edges))
        .hasMessage("expected vertices, by setVertices, found none; name them before fit");
    assertThatThrownBy(() -> predictor().transformSchema(vertices.schema()))
        .hasMessage("pairs: expected a column src, found id, x, y, team");
    assertThat(predictor().transformSchema(edges.schema()).fieldNames())
        .containsExactly("src", "dst", "prediction", "probability");
    assertThat(predictor().explainParams()).contains("negatives: ").doesNotContain("embeddingCol");
  }
}
