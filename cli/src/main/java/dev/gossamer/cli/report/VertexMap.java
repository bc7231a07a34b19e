package dev.gossamer.cli.report;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.Predictions;
import dev.gossamer.cli.graph.VertexVectors;
import dev.gossamer.cli.page.ScatterChart;
import dev.gossamer.cli.page.Style;
import dev.gossamer.graph.Task;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/// Some vertices as points of a plane, by the vectors that a model computes of them
/// ([VertexVectors]).
///
/// @param plane the points
/// @param kinds number of the class of each point: the known one, else the predicted one
/// @param names of each class
/// @param sizes vertices that are known to be of each class
/// @param vertices of the data set, of which the points are some or all
@SuppressWarnings("ArrayRecordComponent")
record VertexMap(PrincipalPlane plane, int[] kinds, List<String> names, int[] sizes, int vertices) {
  /// Points at most.
  static final int MOST_POINTS = 4000;

  private static final String UNKNOWN = "class not known";
  private static final double PERCENT = 100;

  /// Returns the bytes that a map takes beside the predictions, with the known classes.
  static long bytes(GraphModel model, Dataset dataset) {
    int vertices = dataset.vertices();
    return PrincipalPlane.bytes(Math.min(MOST_POINTS, vertices), VertexVectors.width(model))
        + (long) vertices * Integer.BYTES;
  }

  /// Draws at most [#MOST_POINTS] vertices, always the same ones, and projects those whose vectors
  /// are finite.
  ///
  /// @param predictions with embeddings, unless edges are predicted
  /// @param known classes of the same vertices
  static VertexMap of(Predictions predictions, KnownClasses known) {
    List<float[]> vectors = new ArrayList<>();
    List<Integer> kinds = new ArrayList<>();
    for (int v : VertexVectors.drawn(predictions.vertices(), MOST_POINTS)) {
      float[] vector = VertexVectors.of(predictions, v);
      if (normalised(vector)) {
        vectors.add(vector);
        kinds.add(kind(predictions, known, v));
      }
    }
    List<String> names = new ArrayList<>(known.names());
    names.add(names.isEmpty() ? "vertices" : UNKNOWN);
    return new VertexMap(
        PrincipalPlane.of(vectors.toArray(float[][]::new)),
        kinds.stream().mapToInt(kind -> kind).toArray(),
        names,
        known.sizes(),
        predictions.vertices());
  }

  /// Divides a vector by its length, so that a few long ones do not hide the others; one of length
  /// 0 stays.
  ///
  /// @return false if it is not finite
  static boolean normalised(float[] vector) {
    double squares = 0;
    for (float each : vector) {
      squares += (double) each * each;
    }
    double length = Math.sqrt(squares);
    for (int j = 0; j < vector.length && length > 0; j++) {
      vector[j] = (float) (vector[j] / length);
    }
    return Double.isFinite(length);
  }

  private static int kind(Predictions predictions, KnownClasses known, int vertex) {
    if (known.has(vertex)) {
      return known.labels()[vertex];
    }
    return predictions.task() == Task.CLASSIFICATION
        ? predictions.classOf(vertex)
        : known.names().size();
  }

  /// {@return how many vertices are drawn}
  int size() {
    return kinds.length;
  }

  /// The drawing, with the largest classes in colours, which are the same for all models of a data
  /// set, and the others in grey.
  ScatterChart chart() {
    List<Integer> present =
        IntStream.of(kinds)
            .distinct()
            .boxed()
            .sorted(
                Comparator.comparingInt((Integer kind) -> -sizes[kind])
                    .thenComparing(Comparator.naturalOrder()))
            .toList();
    List<ScatterChart.Group> groups = new ArrayList<>();
    int coloured = Math.min(Style.MOST_DOTS, present.size());
    for (int k = 0; k < coloured; k++) {
      groups.add(group(names.get(present.get(k)), k, List.of(present.get(k))));
    }
    if (coloured < present.size()) {
      List<Integer> others = present.subList(coloured, present.size());
      groups.add(group("other (%,d)".formatted(others.size()), coloured, others));
    }
    return new ScatterChart(
        "Vertices, %,d of %,d".formatted(size(), vertices),
        axis("first", plane.xShare()),
        axis("second", plane.yShare()),
        groups);
  }

  private ScatterChart.Group group(String name, int number, List<Integer> classes) {
    int[] points =
        IntStream.range(0, kinds.length).filter(i -> classes.contains(kinds[i])).toArray();
    return new ScatterChart.Group(
        name,
        Style.dots(number),
        IntStream.of(points).mapToDouble(i -> plane.x()[i]).toArray(),
        IntStream.of(points).mapToDouble(i -> plane.y()[i]).toArray());
  }

  private static String axis(String component, double share) {
    return String.format(
        Locale.ROOT, "%s component, %.1f %% of the variance", component, PERCENT * share);
  }
}
