package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelFilesTest {
  private static final StructType VERTICES = new StructType().add("id", DataTypes.LongType);

  @TempDir private Path folder;

  private Path saved(boolean numbers) throws IOException {
    Cluster.start();
    Path path = folder.resolve("model");
    ModelState state = new ModelState(new byte[1], List.of("0", "1"), numbers, "{}");
    new GraphClassificationModel("a", state).save(path.toString());
    return path;
  }

  private static boolean predictsNumbers(Path path) {
    return GraphClassificationModel.load(path.toString())
        .transformSchema(VERTICES)
        .apply("prediction")
        .dataType()
        .equals(DataTypes.DoubleType);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void predictionsAreOfTheTypeOfLabelsAlsoOfTextsThatAreDigits(boolean numbers) throws IOException {
    assertThat(predictsNumbers(saved(numbers))).isEqualTo(numbers);
  }

  @Test
  void aModelThatDoesNotSayItHasNumbersWhereClassesAreCalledSo() throws IOException {
    Path path = saved(false);
    // Of the file as it was.
    Files.delete(path.resolve(".model.json.crc"));
    Files.writeString(
        path.resolve("model.json"), "{\"classes\": [\"0\", \"1\"], \"summary\": \"{}\"}");

    assertThat(predictsNumbers(path)).isTrue();
  }
}
