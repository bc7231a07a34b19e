package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Parameters are the settings of the command line, with their types and defaults.
class GraphParamsTest {
  private static final StructType VERTICES =
      new StructType().add("id", DataTypes.LongType).add("label", DataTypes.StringType);

  @Test
  void everySettingIsExplainedWithItsDefault() {
    String all = new GraphClassifier().explainParams();

    assertThat(all)
        .contains("labelSmoothing: ", "epochs: ", "(default: 150)", "lr: ", "(default: 0.01)")
        .contains("checkpointEvery: ", "idCol: ", "ranks: ")
        .doesNotContain("mpiLibrary", "dryRun", "negatives", "[L");
    assertThat(new GraphEmbedder().explainParams()).contains("negatives: ", "decoder: ");
  }

  @Test
  void onlyWhatIsSetReachesTheTraining() {
    GraphClassifier classifier =
        new GraphClassifier()
            .setting("label-smoothing", 0.1)
            .setting("hidden", "256,128")
            .setting("residual", true)
            .setting("epochs", "7");

    assertThat(classifier.params.training.set(classifier))
        .containsOnlyKeys("label-smoothing", "hidden", "residual", "epochs")
        .containsEntry("epochs", 7)
        .containsEntry("hidden", "256,128");
    GraphClassifier copy = classifier.copy(new ParamMap());
    assertThat(copy.params.training.set(copy))
        .isEqualTo(classifier.params.training.set(classifier));
  }

  @ParameterizedTest
  @CsvSource({
    "epochs, many, 'epochs: expected a number, found many'",
    "residual, perhaps, 'residual: expected true or false, found perhaps'",
    "epoch, 3, found epoch"
  })
  void whatDoesNotFitIsRefused(String name, String value, String message) {
    assertThatThrownBy(() -> new GraphClassifier().setting(name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void columnsAreCheckedBeforeAnythingIsRead() {
    GraphClassifier classifier = new GraphClassifier().setEmbeddingCol("vector");

    assertThat(classifier.transformSchema(VERTICES).fieldNames())
        .containsExactly("id", "label", "prediction", "probability", "vector");
    assertThatThrownBy(() -> classifier.setIdCol("key").transformSchema(VERTICES))
        .hasMessage("vertices: expected a column key, found id, label");
    assertThatThrownBy(
            () -> new GraphClassifier().setPredictionCol("label").transformSchema(VERTICES))
        .hasMessage("vertices: expected no column label, which is to be added, found one");
    assertThatThrownBy(() -> new GraphRegressor().transformSchema(VERTICES))
        .hasMessageContaining("expected numbers, found string");
  }

  @Test
  @SuppressWarnings("NullAway") // Vertices are looked at later.
  void edgesAreNeeded() {
    assertThatThrownBy(() -> new GraphClassifier().fit(null)).hasMessageContaining("setEdges");
  }
}
