package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.Predictions;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.cli.data.VertexVectors;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Targets;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Vectors of vertices ([VertexVectors]) as files for TensorBoard's projector: `tensors.tsv`, a
/// line of numbers for each vertex, `metadata.tsv`, what is known and predicted of it, and
/// `projector_config.pbtxt`, which names both.
final class VertexProjection {
  /// Vertices at most: what a browser shows without delay.
  static final int MOST_VERTICES = 10_000;

  private static final String TENSORS = "tensors.tsv";
  private static final String METADATA = "metadata.tsv";
  private static final String CONFIG = "projector_config.pbtxt";

  private final Predictions predictions;
  private final GraphData data;
  private final List<Integer> drawn = new ArrayList<>();

  /// A column of the metadata.
  private record Column(String name, IntFunction<String> values) {}

  private VertexProjection(Predictions predictions, GraphData data) {
    this.predictions = predictions;
    this.data = data;
    for (int v : VertexVectors.drawn(predictions.vertices(), MOST_VERTICES)) {
      if (isFinite(VertexVectors.of(predictions, v))) {
        drawn.add(v);
      }
    }
  }

  private static boolean isFinite(float[] vector) {
    return IntStream.range(0, vector.length).allMatch(j -> Float.isFinite(vector[j]));
  }

  /// Predicts all vertices and writes the files of at most [#MOST_VERTICES], drawn at random,
  /// always the same ones.
  ///
  /// Memory: that of a prediction with embeddings, `4 n` bytes for each number of a vector.
  ///
  /// @param folder that gets the files
  /// @param model that has been trained on the data
  /// @param settings of the prediction
  /// @return the number of vertices; 0 if the network has no hidden layer, and nothing is written
  /// @throws InvalidInputException if memory does not suffice, or files cannot be written
  static int write(Path folder, GraphModel model, Dataset dataset, InferenceSettings settings) {
    if (VertexVectors.width(model) == 0) {
      return 0;
    }
    Predictions predictions = model.predict(dataset, VertexVectors.predicted(model, settings));
    VertexProjection projection = new VertexProjection(predictions, dataset.data().withoutLinks());
    AtomicOutput.file(folder.resolve(TENSORS), projection::writeTensors);
    AtomicOutput.file(folder.resolve(METADATA), projection::writeMetadata);
    AtomicOutput.file(
        folder.resolve(CONFIG),
        file ->
            Files.writeString(
                file,
                """
                embeddings {
                  tensor_name: "vertices"
                  tensor_path: "%s"
                  metadata_path: "%s"
                }
                """
                    .formatted(TENSORS, METADATA)));
    return projection.drawn.size();
  }

  private void writeTensors(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int v : drawn) {
        float[] vector = VertexVectors.of(predictions, v);
        out.write(
            IntStream.range(0, vector.length)
                .mapToObj(j -> Float.toString(vector[j]))
                .collect(Collectors.joining("\t", "", "\n")));
      }
    }
  }

  /// A line of names, and one for each vertex. TensorBoard takes the names of a single column for a
  /// vertex; there are always two.
  private void writeMetadata(Path file) throws IOException {
    List<Column> columns = columns();
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write(line(columns.stream().map(Column::name).toList()));
      for (int v : drawn) {
        out.write(line(columns.stream().map(column -> column.values.apply(v)).toList()));
      }
    }
  }

  private static String line(List<String> cells) {
    return cells.stream()
        .map(cell -> cell.replaceAll("\\p{Cntrl}|\u2028|\u2029|\u0085", " "))
        .collect(Collectors.joining("\t", "", "\n"));
  }

  private List<Column> columns() {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column("vertex", predictions::vertexName));
    columns.add(new Column("degree", v -> Long.toString(data.adjacency().rowLength(v))));
    switch (predictions.task()) {
      case CLASSIFICATION -> {
        columns.add(new Column("known", this::knownClass));
        columns.add(new Column("predicted", predictions::classNameOf));
      }
      case MULTI_LABEL -> {
        columns.add(new Column("known", this::knownLabels));
        columns.add(
            new Column("predicted", v -> String.join(Predictions.LABELS, predictions.labelsOf(v))));
      }
      case REGRESSION -> {
        for (int c = 0; c < predictions.classes().size(); c++) {
          addNumber(columns, c);
        }
      }
      case LINKS -> {}
    }
    if (data.hasSplit()) {
      columns.add(new Column("part", this::part));
    }
    return columns;
  }

  private String knownClass(int vertex) {
    int[] labels = data.labels();
    return labels.length == 0 || labels[vertex] == GraphData.UNLABELLED
        ? ""
        : data.outputNames().get(labels[vertex]);
  }

  private String knownLabels(int vertex) {
    Targets targets = data.targets();
    return targets == null
        ? ""
        : IntStream.range(0, targets.names().size())
            .filter(t -> targets.values().get(vertex, t) == 1)
            .mapToObj(targets.names()::get)
            .collect(Collectors.joining(Predictions.LABELS));
  }

  private void addNumber(List<Column> columns, int c) {
    String name = predictions.classes().get(c);
    columns.add(new Column("known " + name, v -> knownNumber(v, name)));
    columns.add(
        new Column("predicted " + name, v -> Float.toString((float) predictions.value(v, c))));
  }

  private String knownNumber(int vertex, String name) {
    Targets targets = data.targets();
    int column = targets == null ? -1 : targets.names().indexOf(name);
    float value = targets == null || column < 0 ? Float.NaN : targets.values().get(vertex, column);
    return Float.isNaN(value) ? "" : Float.toString(value);
  }

  private String part(int vertex) {
    for (Split part : Split.values()) {
      if (data.split()[vertex] == part.code()) {
        return part.name().toLowerCase(Locale.ROOT);
      }
    }
    return "";
  }
}
