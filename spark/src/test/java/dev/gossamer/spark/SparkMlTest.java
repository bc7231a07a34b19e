package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.feature.StringIndexer;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.CrossValidator;
import org.apache.spark.ml.tuning.CrossValidatorModel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Estimators keep to the conventions of Spark ML.
class SparkMlTest {
  private static SparkSession spark;
  private static Dataset<Row> edges;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark = Cluster.start();
    edges = Cluster.edges(spark).cache();
  }

  private static GraphClassifier classifier() {
    return new GraphClassifier()
        .setEdges(edges)
        .setFeaturesCols("features")
        .setLabelCol("class")
        .setting("onDangling", "drop")
        .setting("epochs", 10);
  }

  /// Vertices with labels that are numbers, and features that are vectors.
  private static Dataset<Row> indexed() {
    Dataset<Row> labelled = Cluster.vertices(spark).where("label is not null");
    Dataset<Row> numbered =
        new StringIndexer()
            .setInputCol("label")
            .setOutputCol("class")
            .fit(labelled)
            .transform(labelled);
    return new VectorAssembler()
        .setInputCols(new String[] {"x", "y"})
        .setOutputCol("features")
        .transform(numbered)
        .select("id", "features", "class")
        .cache();
  }

  @Test
  @Tag("endurance")
  void crossValidationChoosesBetweenParameters() {
    GraphClassifier classifier = classifier();
    MulticlassClassificationEvaluator accuracy =
        new MulticlassClassificationEvaluator().setLabelCol("class").setMetricName("accuracy");
    ParamMap[] both = {
      new ParamMap().put(classifier.getParam("ranks"), 1),
      new ParamMap().put(classifier.getParam("ranks"), 2)
    };

    CrossValidatorModel model =
        new CrossValidator()
            .setEstimator(classifier)
            .setEvaluator(accuracy)
            .setEstimatorParamMaps(both)
            .setNumFolds(2)
            .fit(indexed());

    assertThat(Arrays.stream(model.avgMetrics()).boxed())
        .hasSize(2)
        .allMatch(score -> score > .5 && score <= 1);
  }

  @Test
  @Tag("endurance")
  void aPipelineIsSavedAndLoaded() throws Exception {
    Dataset<Row> vertices = indexed();
    PipelineModel model =
        new Pipeline().setStages(new PipelineStage[] {classifier()}).fit(vertices);
    model.write().overwrite().save(folder.resolve("pipeline").toString());

    PipelineModel loaded = PipelineModel.load(folder.resolve("pipeline").toString());
    ((GraphClassificationModel) loaded.stages()[0]).setEdges(edges);

    assertThat(loaded.transform(vertices).where("prediction = class").count())
        .isEqualTo(model.transform(vertices).where("prediction = class").count())
        .isGreaterThan(150);
  }

  @Test
  void embeddingsNeedNoLabels() {
    Dataset<Row> vertices = Cluster.vertices(spark).drop("label").withColumnRenamed("x", "x.one");

    Dataset<Row> embedded =
        new GraphEmbedder()
            .setEdges(edges)
            .setting("epochs", 3)
            .setting("embedding", 8)
            .fit(vertices)
            .transform(vertices);

    assertThat(embedded.columns()).containsExactly("id", "x.one", "y", "team", "embedding");
    assertThat(((Vector) embedded.first().getAs("embedding")).size()).isEqualTo(8);
  }

  @Test
  void numbersAreLearned() {
    Dataset<Row> vertices = Cluster.vertices(spark).drop("label");

    Dataset<Row> predicted =
        new GraphRegressor()
            .setEdges(edges)
            .setLabelCol("y")
            .setting("epochs", 30)
            .fit(vertices)
            .transform(vertices);

    assertThat(predicted.stat().corr("y", "prediction")).isGreaterThan(.4);
  }
}
