package dev.gossamer.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.GraphTraining;
import dev.gossamer.InferenceSettings;
import dev.gossamer.MachineSettings;
import dev.gossamer.Predictions;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.data.VertexVectors;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphDataBuilder;
import dev.gossamer.graph.Split;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VertexProjectionTest {
  private static final int N = 30;
  private static final MachineSettings MACHINE =
      MachineSettings.DEFAULT.withMemory(1L << 34).withThreads(1);
  private static final InferenceSettings SETTINGS = InferenceSettings.DEFAULT.withMachine(MACHINE);

  @TempDir Path folder = Path.of("");

  /// A ring with one chord.
  private static GraphDataBuilder ring(int n) {
    Random random = new Random(n);
    int[] from = IntStream.range(0, n + 1).map(v -> v == n ? 0 : v).toArray();
    int[] to = IntStream.range(0, n + 1).map(v -> v == n ? n / 2 : (v + 1) % n).toArray();
    float[][] x = new float[n][3];
    for (float[] row : x) {
      for (int j = 0; j < row.length; j++) {
        row[j] = random.nextFloat();
      }
    }
    Split[] parts = {Split.TRAIN, Split.VALIDATION, Split.TEST};
    return GraphData.builder(n)
        .edges(from, to)
        .features(x)
        .split(IntStream.range(0, n).mapToObj(v -> parts[v % 3]).toArray(Split[]::new));
  }

  private static GraphModel trained(Dataset dataset) {
    return GraphTraining.on(dataset).gcn(4).epochs(2).machine(MACHINE).run();
  }

  private List<List<String>> cells(String file) throws IOException {
    return Files.readAllLines(folder.resolve(file)).stream()
        .map(line -> List.of(line.split("\t", -1)))
        .toList();
  }

  @Test
  void largeGraphsAreDrawnFrom() throws IOException {
    int n = 12_000;
    int[] classes = IntStream.range(0, n).map(v -> v % 2).toArray();
    try (Dataset dataset =
        Dataset.of(ring(n).labels(classes).classNames(List.of("even", "odd")).build())) {
      GraphModel model = trained(dataset);
      assertThat(VertexProjection.write(folder, model, dataset, SETTINGS)).isEqualTo(10_000);
      List<List<String>> metadata = cells("metadata.tsv");
      List<List<String>> tensors = cells("tensors.tsv");
      assertThat(metadata.getFirst())
          .containsExactly("vertex", "degree", "known", "predicted", "part");
      List<Integer> drawn = List.copyOf(VertexVectors.drawn(n, 10_000));
      assertThat(metadata).hasSize(10_001);
      assertThat(tensors).hasSize(10_000);
      Predictions predictions = model.predict(dataset, SETTINGS);
      for (int row = 0; row < drawn.size(); row++) {
        int v = drawn.get(row);
        String part = List.of("train", "validation", "test").get(v % 3);
        assertThat(metadata.get(row + 1))
            .containsExactly(
                Integer.toString(v),
                v == 0 || v == n / 2 ? "3" : "2",
                v % 2 == 0 ? "even" : "odd",
                predictions.classNameOf(v),
                part);
        float[] vector = predictions.embedding(v);
        for (int j = 0; j < vector.length; j++) {
          assertThat(Float.parseFloat(tensors.get(row).get(j))).isEqualTo(vector[j]);
        }
      }
    }
  }

  @Test
  void labelsAreListed() throws IOException {
    float[][] labels = new float[N][2];
    for (int v = 0; v < N; v++) {
      labels[v][0] = v % 2;
      labels[v][1] = v == 4 ? Float.NaN : 1;
    }
    try (Dataset dataset =
        Dataset.of(ring(N).multiLabels(labels).targetNames(List.of("a", "b")).build())) {
      GraphModel model = trained(dataset);
      assertThat(VertexProjection.write(folder, model, dataset, SETTINGS)).isEqualTo(N);
      Predictions predictions = model.predict(dataset, SETTINGS);
      List<List<String>> metadata = cells("metadata.tsv");
      assertThat(metadata.getFirst())
          .containsExactly("vertex", "degree", "known", "predicted", "part");
      assertThat(metadata.subList(4, 7))
          .extracting(row -> row.get(2))
          .containsExactly("a;b", "", "a;b");
      for (int v = 0; v < N; v++) {
        assertThat(metadata.get(v + 1).get(3)).isEqualTo(String.join(";", predictions.labelsOf(v)));
      }
    }
  }

  @Test
  void numbersStandBesideThoseThatAreKnown() throws IOException {
    float[][] numbers = new float[N][1];
    for (int v = 0; v < N; v++) {
      numbers[v][0] = v == 1 ? Float.NaN : 10 * v;
    }
    List<String> names =
        IntStream.range(0, N).mapToObj(v -> v == 2 ? "a\tb\nc" : "name " + v).toList();
    try (Dataset dataset =
        Dataset.of(
            ring(N).numbers(numbers).targetNames(List.of("price")).vertexNames(names).build())) {
      GraphModel model = trained(dataset);
      assertThat(VertexProjection.write(folder, model, dataset, SETTINGS)).isEqualTo(N);
      Predictions predictions = model.predict(dataset, SETTINGS);
      List<List<String>> metadata = cells("metadata.tsv");
      assertThat(metadata.getFirst())
          .containsExactly("vertex", "degree", "known price", "predicted price", "part");
      assertThat(metadata).hasSize(N + 1).allMatch(row -> row.size() == 5);
      assertThat(metadata.get(2).subList(0, 3)).containsExactly("name 1", "2", "");
      assertThat(metadata.get(3).subList(0, 3)).containsExactly("a b c", "2", "20.0");
      assertThat(Float.parseFloat(metadata.get(3).get(3)))
          .isEqualTo((float) predictions.value(2, 0));
    }
  }

  @Test
  void withoutMemoryNothingIsWritten() throws IOException {
    int[] classes = IntStream.range(0, N).map(v -> v % 2).toArray();
    try (Dataset dataset = Dataset.of(ring(N).labels(classes).build())) {
      GraphModel model = trained(dataset);
      InferenceSettings little = SETTINGS.withMachine(MACHINE.withMemory(1));
      assertThatThrownBy(() -> VertexProjection.write(folder, model, dataset, little))
          .isInstanceOf(InvalidInputException.class);
      assertThat(folder).isEmptyDirectory();
    }
  }
}
