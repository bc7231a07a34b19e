package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphDataBuilder;
import dev.gossamer.graph.Split;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Builds a data set from the objects of a Java program, whose vertices have ids of any type with
/// `equals` and `hashCode`: `String`, `Long`, `Integer`, a record.
///
/// ```java
/// record Payment(String from, String to, double amount) {}
///
/// DatasetBuilder<String> accounts = Dataset.builder("accounts");
/// accounts.edges(payments.stream(), Payment::from, Payment::to, Payment::amount);
/// accounts.features("ann", 1, 0).label("ann", "fraud");
/// try (Dataset dataset = accounts.build()) { ... }
/// ```
///
/// A vertex exists from the first call that mentions its id, and vertices are numbered in this
/// order. The graph is undirected unless [#directed] is called: repeated edges, in either
/// direction, are merged, their weights added, the earliest of their times kept, and self loops
/// dropped; features of repeated edges become their means. Everything is kept on the Java heap
/// until [#build]: 8 bytes per edge, 4 more with weights, 8 more with times and 4 more for each
/// feature, and about 100 bytes per vertex, plus its features. Not thread-safe.
///
/// @param <V> type of the vertices' ids
public final class DatasetBuilder<V> {
  private static final float[] NO_FEATURES = {};
  private static final int FIRST_EDGES = 1 << 10;

  /// What is known of a vertex.
  private static final class Vertex {
    final int number;
    float[] features = NO_FEATURES;
    @Nullable String label;
    Split split = Split.NONE;

    Vertex(int number) {
      this.number = number;
    }
  }

  private final String name;
  private final Map<V, Vertex> vertices = new LinkedHashMap<>();
  private boolean directed;
  private int edges;
  private int[] sources = new int[FIRST_EDGES];
  private int[] targets = new int[FIRST_EDGES];
  private float @Nullable [] weights;

  /// Seconds since 1970; NaN for none.
  private double @Nullable [] times;

  /// A row of [#edgeWidth] for each edge up to the last that has one.
  private float[] edgeFeatures = NO_FEATURES;

  private int edgeWidth;

  /// Edges with features.
  private int featured;

  /// The last edge with features, from 1.
  private int lastFeatured;

  private List<String> edgeFeatureNames = List.of();
  private @Nullable List<String> featureNames;

  /// @param name the name of the data set in tables and run folders
  DatasetBuilder(String name) {
    this.name = Objects.requireNonNull(name, "name");
  }

  /// Keeps the direction of each edge, and self loops.
  ///
  /// @return this
  public DatasetBuilder<V> directed() {
    directed = true;
    return this;
  }

  /// Adds a vertex, unless it exists.
  ///
  /// @param id of the vertex
  /// @return this
  public DatasetBuilder<V> vertex(V id) {
    of(id);
    return this;
  }

  /// Adds an edge of weight 1.
  ///
  /// @param from id of one end, the source of a directed edge
  /// @param to id of the other end
  /// @return this
  public DatasetBuilder<V> edge(V from, V to) {
    return edge(from, to, 1);
  }

  /// Adds an edge. The graph has weights if any edge has one other than 1.
  ///
  /// @param from id of one end, the source of a directed edge
  /// @param to id of the other end
  /// @param weight a finite number
  /// @return this
  /// @throws InvalidSettingException if the weight is not finite as a `float`
  public DatasetBuilder<V> edge(V from, V to, double weight) {
    float narrow = (float) weight;
    if (!Float.isFinite(narrow)) {
      throw new InvalidSettingException(
          "{weights}: edge from %s to %s: expected a finite number, found %s"
              .formatted(from, to, weight));
    }
    if (edges == sources.length) {
      grow();
    }
    sources[edges] = of(from).number;
    targets[edges] = of(to).number;
    if (narrow != 1 && weights == null) {
      weights = new float[sources.length];
      Arrays.fill(weights, 1);
    }
    if (weights != null) {
      weights[edges] = narrow;
    }
    if (times != null) {
      times[edges] = Double.NaN;
    }
    edges++;
    return this;
  }

  /// Adds an edge with its time, by which edges to predict may be divided. Either all edges have
  /// times, or none has.
  ///
  /// @param from id of one end, the source of a directed edge
  /// @param to id of the other end
  /// @param weight a finite number
  /// @param time when it came to be; kept to the microsecond
  /// @return this
  /// @throws InvalidSettingException if the weight is not finite as a `float`
  public DatasetBuilder<V> edge(V from, V to, double weight, Instant time) {
    int microseconds = time.getNano() / 1000;
    double seconds = time.getEpochSecond() + microseconds / 1e6;
    edge(from, to, weight);
    if (times == null) {
      times = new double[sources.length];
      Arrays.fill(times, Double.NaN);
    }
    times[edges - 1] = seconds;
    return this;
  }

  /// Sets the features of the edge that was added last. Either all edges have features, or none
  /// has.
  ///
  /// ```java
  /// accounts.edge("ann", "bob").edgeFeatures(29.77f, 1);
  /// ```
  ///
  /// @param x as many finite numbers as other edges have, at least one
  /// @return this
  /// @throws InvalidSettingException if there is no edge yet, or the number differs
  public DatasetBuilder<V> edgeFeatures(float... x) {
    if (edges == 0) {
      throw new InvalidSettingException("{edgeFeatures}: expected an edge before, found none");
    }
    if (edgeWidth == 0) {
      InvalidSettingException.requireAtLeast("edgeFeatures", x.length, 1);
      edgeWidth = x.length;
    }
    if (x.length != edgeWidth) {
      throw new InvalidSettingException(
          "{edgeFeatures}: edge %d: expected %d numbers, as other edges have, found %d"
              .formatted(edges - 1, edgeWidth, x.length));
    }
    int begin = Math.multiplyExact(edges - 1, edgeWidth);
    int end = Math.addExact(begin, edgeWidth);
    if (edgeFeatures.length < end) {
      edgeFeatures =
          Arrays.copyOf(edgeFeatures, Math.max(end, Math.multiplyExact(edgeFeatures.length, 2)));
    }
    System.arraycopy(x, 0, edgeFeatures, begin, edgeWidth);
    featured += lastFeatured < edges ? 1 : 0;
    lastFeatured = edges;
    return this;
  }

  /// Sets the name of each feature of edges; without names, a model checks only their number.
  ///
  /// @param names of each feature, in the order of the numbers
  /// @return this
  public DatasetBuilder<V> edgeFeatureNames(String... names) {
    edgeFeatureNames = List.of(names);
    return this;
  }

  /// Adds edges of weight 1. With ids in two arrays, the stream is that of their indices:
  /// `edges(IntStream.range(0, m).boxed(), e -> from[e], e -> to[e])`.
  ///
  /// @param <E> type of the edges
  /// @param all read once, in its order
  /// @param from id of one end of an edge, the source of a directed one
  /// @param to id of the other end
  /// @return this
  public <E> DatasetBuilder<V> edges(
      Stream<E> all, Function<? super E, ? extends V> from, Function<? super E, ? extends V> to) {
    return edges(all, from, to, edge -> 1);
  }

  /// Adds edges with weights.
  ///
  /// @param <E> type of the edges
  /// @param all read once, in its order
  /// @param from id of one end of an edge, the source of a directed one
  /// @param to id of the other end
  /// @param weight a finite number
  /// @return this
  /// @throws InvalidSettingException if a weight is not finite as a `float`
  public <E> DatasetBuilder<V> edges(
      Stream<E> all,
      Function<? super E, ? extends V> from,
      Function<? super E, ? extends V> to,
      ToDoubleFunction<? super E> weight) {
    all.sequential()
        .forEachOrdered(edge -> edge(from.apply(edge), to.apply(edge), weight.applyAsDouble(edge)));
    return this;
  }

  /// Sets the features of a vertex. Either all vertices have features, or none has.
  ///
  /// @param id of the vertex
  /// @param x as many finite numbers as other vertices have
  /// @return this
  public DatasetBuilder<V> features(V id, float... x) {
    of(id).features = x.clone();
    return this;
  }

  /// Sets the name of each feature; without names, a model checks only the number of features.
  ///
  /// @param names of each feature, in the order of the numbers
  /// @return this
  public DatasetBuilder<V> featureNames(String... names) {
    featureNames = List.of(names);
    return this;
  }

  /// Sets the class of a vertex. The classes are the distinct labels in alphabetical order; a
  /// vertex without a label takes part in the graph, but neither in the loss nor in scores.
  ///
  /// @param id of the vertex
  /// @param label name of its class
  /// @return this
  public DatasetBuilder<V> label(V id, String label) {
    of(id).label = Objects.requireNonNull(label, "label");
    return this;
  }

  /// Sets the part of a vertex. Without any, [Dataset#withSplit] or the training draws a split.
  ///
  /// @param id of the vertex
  /// @param part of the split
  /// @return this
  public DatasetBuilder<V> split(V id, Split part) {
    of(id).split = Objects.requireNonNull(part, "split");
    return this;
  }

  private Vertex of(V id) {
    return vertices.computeIfAbsent(
        Objects.requireNonNull(id, "id"), _ -> new Vertex(vertices.size()));
  }

  private void grow() {
    int larger = Math.multiplyExact(edges, 2);
    sources = Arrays.copyOf(sources, larger);
    targets = Arrays.copyOf(targets, larger);
    if (weights != null) {
      weights = Arrays.copyOf(weights, larger);
    }
    if (times != null) {
      times = Arrays.copyOf(times, larger);
    }
  }

  /// Builds the data set. Cost: two passes over the edges and one over the rest.
  ///
  /// @return a data set to close, independent of this builder
  /// @throws InvalidSettingException if vertices have different numbers of features, a feature is
  ///   not finite, some edges have a time or features and others none, or two ids have the same
  ///   text
  public Dataset build() {
    GraphDataBuilder graph =
        GraphData.builder(vertices.size())
            .name(name)
            .edges(Arrays.copyOf(sources, edges), Arrays.copyOf(targets, edges));
    if (directed) {
      graph.directed();
    }
    if (weights != null) {
      graph.weights(Arrays.copyOf(weights, edges));
    }
    addTimes(graph);
    addEdgeFeatures(graph);
    addNames(graph);
    addFeatures(graph);
    addLabels(graph);
    if (vertices.values().stream().anyMatch(each -> each.split != Split.NONE)) {
      graph.split(vertices.values().stream().map(each -> each.split).toArray(Split[]::new));
    }
    return Dataset.of(graph.build());
  }

  private void addTimes(GraphDataBuilder graph) {
    double[] given = times;
    if (given == null) {
      return;
    }
    double[] all = Arrays.copyOf(given, edges);
    long known = Arrays.stream(all).filter(time -> !Double.isNaN(time)).count();
    if (known < edges) {
      throw new InvalidSettingException(
          "{times}: expected a time of all edges or of none, found it of %d of %d"
              .formatted(known, edges));
    }
    graph.times(EdgeTimes.Unit.DATES, all);
  }

  private void addEdgeFeatures(GraphDataBuilder graph) {
    if (featured > 0 && featured < edges) {
      throw new InvalidSettingException(
          "{edgeFeatures}: expected features of all edges or of none, found them of %d of %d"
              .formatted(featured, edges));
    }
    graph
        .edgeFeatures(Arrays.copyOf(edgeFeatures, Math.multiplyExact(edges, edgeWidth)), edgeWidth)
        .edgeFeatureNames(edgeFeatureNames);
  }

  /// Ids that are the numbers of the vertices need no names.
  private void addNames(GraphDataBuilder graph) {
    if (vertices.entrySet().stream()
        .allMatch(each -> each.getKey().equals(each.getValue().number))) {
      return;
    }
    List<String> names = new ArrayList<>(vertices.size());
    Set<String> distinct = new HashSet<>();
    for (V id : vertices.keySet()) {
      String text = id.toString();
      if (!distinct.add(text)) {
        throw new InvalidSettingException(
            "{vertices}: expected ids of different texts, found two of '%s'".formatted(text));
      }
      names.add(text);
    }
    graph.vertexNames(names);
  }

  private void addFeatures(GraphDataBuilder graph) {
    int width = vertices.values().stream().mapToInt(each -> each.features.length).max().orElse(0);
    float[] all = new float[Math.multiplyExact(vertices.size(), width)];
    vertices.forEach((id, vertex) -> {
      float[] x = vertex.features;
      if (x.length != width) {
        throw new InvalidSettingException(
            "{features}: vertex %s: expected %d numbers, as other vertices have, found %d"
                .formatted(id, width, x.length));
      }
      for (int f = 0; f < width; f++) {
        if (!Float.isFinite(x[f])) {
          throw new InvalidSettingException(
              "{features}: vertex %s, feature %d: expected a finite number, found %s"
                  .formatted(id, f, x[f]));
        }
      }
      System.arraycopy(x, 0, all, vertex.number * width, width);
    });
    graph.features(all, width);
    if (featureNames != null) {
      graph.featureNames(featureNames);
    }
  }

  private void addLabels(GraphDataBuilder graph) {
    NavigableMap<String, Integer> classes = new TreeMap<>();
    for (Vertex vertex : vertices.values()) {
      if (vertex.label != null) {
        classes.put(vertex.label, 0);
      }
    }
    if (classes.isEmpty()) {
      return;
    }
    int number = 0;
    for (Map.Entry<String, Integer> each : classes.entrySet()) {
      each.setValue(number++);
    }
    int[] labels = new int[vertices.size()];
    for (Vertex vertex : vertices.values()) {
      labels[vertex.number] =
          vertex.label == null
              ? GraphData.UNLABELLED
              : Objects.requireNonNull(classes.get(vertex.label));
    }
    graph.classNames(List.copyOf(classes.keySet())).labels(labels);
  }
}
