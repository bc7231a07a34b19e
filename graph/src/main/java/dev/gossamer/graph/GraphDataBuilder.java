package dev.gossamer.graph;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Resources;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Builds a data set from Java arrays:
///
/// ```java
/// GraphData d =
///     GraphData.builder(4)
///         .name("ring")
///         .edges(new int[] {0, 1, 2, 3}, new int[] {1, 2, 3, 0})
///         .features(new float[][] {{1, 0}, {0, 1}, {1, 0}, {0, 1}})
///         .labels(0, 1, 0, 1)
///         .build();
/// ```
///
/// The graph is undirected unless [#directed] is called: each edge is stored in both directions,
/// duplicate edges are merged, self loops are dropped. Arrays are read by [#build] and not kept.
/// Error messages name the invalid array. Not thread-safe.
public final class GraphDataBuilder {
  private final int vertices;
  private String name = "graph";
  private boolean directed;
  private int[] sources = new int[0];
  private int[] targets = new int[0];
  private float @Nullable [] weights;
  private double @Nullable [] times;
  private EdgeTimes.Unit timeUnit = EdgeTimes.Unit.NUMBERS;
  private float[] edgeFeatures = new float[0];
  private int edgeWidth;
  private List<String> edgeFeatureNames = List.of();
  private float[] features = new float[0];
  private int width;
  private int[] labels = new int[0];
  private @Nullable List<String> classNames;
  private @Nullable Task task;
  private float[][] truth = new float[0][];
  private @Nullable List<String> targetNames;
  private Split[] split = new Split[0];
  private @Nullable List<String> vertexNames;
  private @Nullable List<String> featureNames;

  GraphDataBuilder(int vertices) {
    InvalidSettingException.requireAtLeast("vertices", vertices, 0);
    this.vertices = vertices;
  }

  /// Sets the name of the data set in tables and run folders; `graph` by default.
  ///
  /// @param text the name
  /// @return this
  public GraphDataBuilder name(String text) {
    name = Objects.requireNonNull(text, "name");
    return this;
  }

  /// Stores each arc as given, from source to target, including self loops.
  ///
  /// @return this
  public GraphDataBuilder directed() {
    directed = true;
    return this;
  }

  /// Sets the edges, each in one direction or in both.
  ///
  /// @param from one end of each edge, in `0..n-1`
  /// @param to the other end of each edge
  /// @return this
  /// @throws InvalidSettingException if the arrays have different lengths
  public GraphDataBuilder edges(int[] from, int[] to) {
    if (from.length != to.length) {
      throw new InvalidSettingException(
          "{edges}: expected as many sources as targets, found %d and %d"
              .formatted(from.length, to.length));
    }
    sources = from;
    targets = to;
    return this;
  }

  /// Sets the weight of each edge, in the order of the edges. The weights of duplicate edges are
  /// added; in an undirected graph, the two directions of an edge count as duplicates.
  ///
  /// @param ofEdges a finite number for each edge
  /// @return this
  public GraphDataBuilder weights(float... ofEdges) {
    weights = Objects.requireNonNull(ofEdges, "weights");
    return this;
  }

  /// Sets the time of each edge, in the order of the edges. Duplicate edges have the earliest of
  /// theirs; in an undirected graph, the two directions of an edge count as duplicates.
  ///
  /// @param unit of the times
  /// @param ofEdges a finite number for each edge
  /// @return this
  public GraphDataBuilder times(EdgeTimes.Unit unit, double... ofEdges) {
    timeUnit = Objects.requireNonNull(unit, "unit");
    times = Objects.requireNonNull(ofEdges, "times");
    return this;
  }

  /// Sets the features of each edge, in the order of the edges. Duplicate edges have the means of
  /// theirs; in an undirected graph, the two directions of an edge count as duplicates.
  ///
  /// @param x a row of `cols` finite numbers for each edge, row-major
  /// @param cols features per edge; 0 for none
  /// @return this
  public GraphDataBuilder edgeFeatures(float[] x, int cols) {
    InvalidSettingException.requireAtLeast("edgeFeatureWidth", cols, 0);
    edgeFeatures = Objects.requireNonNull(x, "edgeFeatures");
    edgeWidth = cols;
    return this;
  }

  /// Sets the name of each feature of edges; without names, a model checks only their number.
  ///
  /// @param names of each feature, in the order of the columns
  /// @return this
  public GraphDataBuilder edgeFeatureNames(List<String> names) {
    edgeFeatureNames = List.copyOf(names);
    return this;
  }

  /// Sets the features, one row per vertex.
  ///
  /// @param x `n` rows of equal length
  /// @return this
  /// @throws InvalidSettingException if rows differ in length
  public GraphDataBuilder features(float[][] x) {
    int cols = x.length == 0 ? 0 : x[0].length;
    float[] all = new float[Math.multiplyExact(x.length, cols)];
    for (int v = 0; v < x.length; v++) {
      if (x[v].length != cols) {
        throw new InvalidSettingException(
            "{features}: vertex %d: expected %d numbers, as vertex 0 has, found %d"
                .formatted(v, cols, x[v].length));
      }
      System.arraycopy(x[v], 0, all, v * cols, cols);
    }
    return features(all, cols);
  }

  /// Sets the features in one array.
  ///
  /// @param x `n * cols` numbers, row-major
  /// @param cols features per vertex
  /// @return this
  public GraphDataBuilder features(float[] x, int cols) {
    InvalidSettingException.requireAtLeast("featureWidth", cols, 0);
    features = Objects.requireNonNull(x, "features");
    width = cols;
    return this;
  }

  /// Sets the name of each feature; without names, a model checks only the number of features.
  ///
  /// @param names of each feature, in the order of the columns
  /// @return this
  public GraphDataBuilder featureNames(List<String> names) {
    featureNames = List.copyOf(names);
    return this;
  }

  /// Sets the class of each vertex (`n`), from 0 on, or [GraphData#UNLABELLED].
  ///
  /// @param classes of each vertex
  /// @return this
  public GraphDataBuilder labels(int... classes) {
    labels = Objects.requireNonNull(classes, "labels");
    return this;
  }

  /// Sets the name of each class; without names, classes are named by their numbers, up to the
  /// largest label, which must then be less than `n`.
  ///
  /// @param names of each class, in the order of their numbers
  /// @return this
  public GraphDataBuilder classNames(List<String> names) {
    classNames = List.copyOf(names);
    return this;
  }

  /// Sets any number of labels of each vertex in place of one class.
  ///
  /// @param of each vertex (`n` rows), 1 for a label that it has, 0 for one that it does not have,
  ///   NaN where that is not known
  /// @return this
  public GraphDataBuilder multiLabels(float[][] of) {
    task = Task.MULTI_LABEL;
    truth = Objects.requireNonNull(of, "multiLabels");
    return this;
  }

  /// Sets numbers of each vertex to predict in place of its class.
  ///
  /// @param of each vertex (`n` rows); NaN where it is not known
  /// @return this
  public GraphDataBuilder numbers(float[][] of) {
    task = Task.REGRESSION;
    truth = Objects.requireNonNull(of, "numbers");
    return this;
  }

  /// Sets the name of each label or number to predict; without names, they are named by their
  /// columns.
  ///
  /// @param names of each, in the order of the columns
  /// @return this
  public GraphDataBuilder targetNames(List<String> names) {
    targetNames = List.copyOf(names);
    return this;
  }

  /// Sets the part of each vertex (`n`). Without a split, [dev.gossamer.graph.format.Splits#draw]
  /// draws one from the data set.
  ///
  /// @param parts of each vertex
  /// @return this
  public GraphDataBuilder split(Split... parts) {
    split = Objects.requireNonNull(parts, "split");
    return this;
  }

  /// Sets the name of each vertex (`n`); without names, vertices are named by their numbers.
  ///
  /// @param names of each vertex
  /// @return this
  public GraphDataBuilder vertexNames(List<String> names) {
    vertexNames = List.copyOf(names);
    return this;
  }

  /// Validates all arrays and copies them into a data set. Cost: two passes over the edges and one
  /// over the rest.
  ///
  /// @return a data set to close
  /// @throws InvalidSettingException if an array has the wrong length, a vertex or class is out of
  ///   range, or a number is not finite
  public GraphData build() {
    checkEdges();
    checkEdgeFeatures();
    requireCount("features", features.length, (long) vertices * width);
    requireCount("labels", labels.length, labels.length == 0 ? 0 : vertices);
    requireCount("split", split.length, split.length == 0 ? 0 : vertices);
    List<String> names = vertexNames;
    requireCount("vertexNames", names == null ? vertices : names.size(), vertices);
    List<String> ofFeatures = featureNames;
    requireCount("featureNames", ofFeatures == null ? width : ofFeatures.size(), width);
    GraphData.Info info = GraphData.Info.of(name).withClassNames(classes());
    return Resources.handedOver(
        Arena.ofShared(),
        arena -> {
          CsrMatrix adjacency = adjacency(arena);
          GraphData graph =
              GraphData.of(arena, directed ? info.asDirected() : info, adjacency)
                  .withTimes(times(arena, adjacency))
                  .withEdgeFeatures(edgeFeatures(arena, adjacency))
                  .withFeatures(features(arena))
                  .withFeatureNames(ofFeatures)
                  .withSplit(splitCodes())
                  .withVertexNames(names);
          return task == null
              ? graph.withLabels(labels.clone())
              : graph.withTargets(targets(arena, task));
        });
  }

  private Targets targets(Arena arena, Task what) {
    requireCount("targets", truth.length, vertices);
    requireCount("labels", labels.length, 0);
    int cols = truth.length == 0 ? 0 : truth[0].length;
    DenseMatrix values = DenseMatrix.allocate(arena, vertices, cols);
    for (int v = 0; v < vertices; v++) {
      requireCount("targets", truth[v].length, cols);
      for (int t = 0; t < cols; t++) {
        float value = truth[v][t];
        if (!what.admits(value)) {
          throw new InvalidSettingException(
              "{targets}: vertex %d, column %d: expected %s or NaN, found %s"
                  .formatted(v, t, what == Task.REGRESSION ? "a finite number" : "0, 1", value));
        }
        values.set(v, t, value);
      }
    }
    List<String> names = targetNames;
    if (names == null) {
      names = IntStream.range(0, cols).mapToObj(Integer::toString).toList();
    }
    requireCount("targetNames", names.size(), cols);
    return new Targets(what, values, names);
  }

  private void checkEdges() {
    for (int e = 0; e < sources.length; e++) {
      if (sources[e] < 0 || sources[e] >= vertices || targets[e] < 0 || targets[e] >= vertices) {
        throw new InvalidSettingException(
            "{edges}: edge %d: expected vertices in 0..%d, found %d -> %d"
                .formatted(e, vertices - 1, sources[e], targets[e]));
      }
    }
    float[] given = weights;
    if (given != null) {
      requireCount("weights", given.length, sources.length);
      for (int e = 0; e < given.length; e++) {
        if (!Float.isFinite(given[e])) {
          throw new InvalidSettingException(
              "{weights}: edge %d: expected a finite number, found %s".formatted(e, given[e]));
        }
      }
    }
    double[] timed = times;
    if (timed != null) {
      requireCount("times", timed.length, sources.length);
      for (int e = 0; e < timed.length; e++) {
        if (!Double.isFinite(timed[e])) {
          throw new InvalidSettingException(
              "{times}: edge %d: expected a finite number, found %s".formatted(e, timed[e]));
        }
      }
    }
  }

  private void checkEdgeFeatures() {
    requireCount("edgeFeatures", edgeFeatures.length, (long) sources.length * edgeWidth);
    if (!edgeFeatureNames.isEmpty()) {
      requireCount("edgeFeatureNames", edgeFeatureNames.size(), edgeWidth);
    }
    for (int i = 0; i < edgeFeatures.length; i++) {
      if (!Float.isFinite(edgeFeatures[i])) {
        throw new InvalidSettingException(
            "{edgeFeatures}: edge %d, feature %d: expected a finite number, found %s"
                .formatted(i / edgeWidth, i % edgeWidth, edgeFeatures[i]));
      }
    }
  }

  private static void requireCount(String component, long found, long expected) {
    if (found != expected) {
      throw new InvalidSettingException(
          "{%s}: expected %d, found %d".formatted(component, expected, found));
    }
  }

  /// The names of the classes, after validation of all labels.
  private List<String> classes() {
    List<String> names = classNames;
    if (names == null) {
      int most = Arrays.stream(labels).max().orElse(GraphData.UNLABELLED);
      if (most >= vertices) {
        throw new InvalidSettingException(
            "{labels}: expected classes in 0..%d, as there are no classNames, found %d"
                .formatted(vertices - 1, most));
      }
      names = IntStream.rangeClosed(0, most).mapToObj(Integer::toString).toList();
    }
    Set<String> distinct = new HashSet<>();
    for (String name : names) {
      if (!distinct.add(name)) {
        throw new InvalidSettingException(
            "{classNames}: expected distinct names, found %s twice".formatted(name));
      }
    }
    for (int v = 0; v < labels.length; v++) {
      if (labels[v] < GraphData.UNLABELLED || labels[v] >= names.size()) {
        throw new InvalidSettingException(
            "{labels}: vertex %d: expected a class in 0..%d, or -1 for none, found %d"
                .formatted(v, names.size() - 1, labels[v]));
      }
    }
    return names;
  }

  private CsrMatrix adjacency(Arena arena) {
    float[] given = weights;
    CsrBuilder builder = directed ? CsrBuilder.directed(vertices) : CsrBuilder.undirected(vertices);
    return (given == null ? builder : builder.withWeights())
        .build(
            arena,
            sink -> {
              for (int e = 0; e < sources.length; e++) {
                sink.arc(sources[e], targets[e], given == null ? 1f : given[e]);
              }
            });
  }

  private @Nullable EdgeTimes times(Arena arena, CsrMatrix adjacency) {
    double[] given = times;
    return given == null
        ? null
        : EdgeTimes.earliest(
            arena,
            timeUnit,
            adjacency,
            directed,
            sink -> {
              for (int e = 0; e < sources.length; e++) {
                sink.arc(sources[e], targets[e], given[e]);
              }
            });
  }

  private @Nullable EdgeFeatures edgeFeatures(Arena arena, CsrMatrix adjacency) {
    if (edgeWidth == 0) {
      return null;
    }
    try (EdgeFeatureMeans means = new EdgeFeatureMeans(arena, adjacency, directed, edgeWidth)) {
      for (int e = 0; e < sources.length; e++) {
        long entry = EdgeFeatureMeans.entry(adjacency, directed, sources[e], targets[e]);
        means.add(entry);
        for (int f = 0; f < edgeWidth; f++) {
          means.add(entry, f, edgeFeatures[e * edgeWidth + f]);
        }
      }
      means.endGroup(0, edgeWidth);
      return new EdgeFeatures(means.features(), edgeFeatureNames);
    }
  }

  private Features features(Arena arena) {
    if (width == 0) {
      return new Features.None();
    }
    for (int i = 0; i < features.length; i++) {
      if (!Float.isFinite(features[i])) {
        throw new InvalidSettingException(
            "{features}: vertex %d, feature %d: expected a finite number, found %s"
                .formatted(i / width, i % width, features[i]));
      }
    }
    DenseMatrix x = DenseMatrix.allocate(arena, vertices, width);
    for (int v = 0; v < vertices; v++) {
      MemorySegment.copy(
          features, v * width, x.data(), ValueLayout.JAVA_FLOAT_UNALIGNED, x.offset(v), width);
    }
    return new Features.Dense(x);
  }

  private byte[] splitCodes() {
    byte[] codes = new byte[split.length];
    for (int v = 0; v < codes.length; v++) {
      codes[v] = Objects.requireNonNull(split[v], "split").code();
    }
    return codes;
  }
}
