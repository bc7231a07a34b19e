package dev.gossamer.cli.report;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.Predictions;
import dev.gossamer.base.Workers;
import dev.gossamer.cli.data.VertexVectors;
import dev.gossamer.cli.page.ScatterChart;
import dev.gossamer.cli.page.Style;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Task;
import dev.gossamer.run.memory.SystemCores;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

/// Some vertices as points of a plane, by the vectors that a model computes of them
/// ([VertexVectors]).
///
/// @param plane the points by principal components
/// @param neighbours the points by their neighbours
/// @param kinds number of the class of each point: the known one, else the predicted one
/// @param names of each class
/// @param sizes vertices that are known to be of each class
/// @param vertices of the data set, of which the points are some or all
@SuppressWarnings("ArrayRecordComponent")
record VertexMap(
    PrincipalPlane plane,
    NeighbourPlane neighbours,
    int[] kinds,
    List<String> names,
    int[] sizes,
    int vertices) {
  /// Points at most.
  static final int MOST_POINTS = 20_000;

  private static final String UNKNOWN = "class not known";
  private static final double PERCENT = 100;

  /// Returns the bytes that a map takes beside the predictions, with the known classes.
  static long bytes(GraphModel model, Dataset dataset) {
    int vertices = dataset.vertices();
    int points = Math.min(MOST_POINTS, vertices);
    int width = VertexVectors.width(model);
    return PrincipalPlane.bytes(points, width)
        + NeighbourPlane.bytes(points, width)
        + Workers.bytes(threads())
        + (long) vertices * Integer.BYTES;
  }

  private static int threads() {
    return SystemCores.share(1);
  }

  /// Draws at most [#MOST_POINTS] vertices, always the same ones, and places those whose vectors
  /// are finite.
  ///
  /// @param predictions with embeddings, unless edges are predicted
  /// @param known classes of the same vertices
  static VertexMap of(Predictions predictions, KnownClasses known, Progress progress) {
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
    float[][] rows = vectors.toArray(float[][]::new);
    PrincipalPlane plane = PrincipalPlane.of(rows);
    NeighbourPlane neighbours;
    try (Workers workers = new Workers(threads())) {
      neighbours = NeighbourPlane.of(rows, plane, workers, progress);
    }
    return new VertexMap(
        plane,
        neighbours,
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

  /// Whether colours stand for classes.
  boolean hasClasses() {
    return names.size() > 1;
  }

  /// {@return how many vertices are drawn}
  int size() {
    return kinds.length;
  }

  /// The drawing by principal components, with the largest classes in colours, which are the same
  /// for all models of a data set, and the others in grey.
  ScatterChart byComponents() {
    return chart(
        "Vertices by components",
        axis("first", plane.xShare()),
        axis("second", plane.yShare()),
        plane.x(),
        plane.y());
  }

  /// The drawing by neighbours, in the same colours.
  ScatterChart byNeighbours() {
    return chart("Vertices by neighbours", "", "", neighbours.x(), neighbours.y());
  }

  private ScatterChart chart(String title, String across, String up, double[] x, double[] y) {
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
      groups.add(group(names.get(present.get(k)), k, Set.of(present.get(k)), x, y));
    }
    if (coloured < present.size()) {
      Set<Integer> others = Set.copyOf(present.subList(coloured, present.size()));
      groups.add(group("other (%,d)".formatted(others.size()), coloured, others, x, y));
    }
    return new ScatterChart(
        "%s, %,d of %,d".formatted(title, size(), vertices), across, up, groups);
  }

  private ScatterChart.Group group(
      String name, int number, Set<Integer> classes, double[] x, double[] y) {
    int[] points =
        IntStream.range(0, kinds.length).filter(i -> classes.contains(kinds[i])).toArray();
    return new ScatterChart.Group(
        name,
        Style.dots(number),
        IntStream.of(points).mapToDouble(i -> x[i]).toArray(),
        IntStream.of(points).mapToDouble(i -> y[i]).toArray());
  }

  private static String axis(String component, double share) {
    return String.format(
        Locale.ROOT, "%s component, %.1f %% of the variance", component, PERCENT * share);
  }
}
