package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A graph with features, labels and other data of its vertices. Read-only by convention: arrays
/// are not copied.
///
/// A data set is opened from files ([dev.gossamer.graph.format.Datasets]), built from Java arrays
/// ([#builder]), or composed from existing matrices ([#of] and the `with` methods):
///
/// ```java
/// GraphData d = GraphData.of(arena, Info.of("mine"), a).withFeatures(x).withLabels(labels);
/// ```
///
/// Data sets that `with` methods return share the memory of this one: closing one closes all, and
/// closing another one has no effect.
public final class GraphData implements AutoCloseable {
  /// Label of a vertex of unknown class: it is part of the graph but never of loss or accuracy.
  public static final int UNLABELLED = -1;

  /// Metadata of a data set.
  ///
  /// @param name the name in tables and run folders
  /// @param directed whether `A` is stored as given; an undirected graph holds each edge in both
  ///   directions
  /// @param classNames name of each class; its size is the number of classes
  /// @param nestedNames whether vertex names are class names, so that a random split puts
  ///   `Outer$Inner` into the part of `Outer`
  /// @param provenance its origin and identity (`fingerprint`, `jdk`, `seed`, ...), printed with
  ///   results; [#DEFINITION] names the rules of features without names
  /// @param schema of the tables that it was read from, with all that was fitted to them, as JSON;
  ///   null for other data sets
  @SuppressWarnings("AvoidCommonTypeNames")
  public record Info(
      String name,
      boolean directed,
      List<String> classNames,
      boolean nestedNames,
      Map<String, String> provenance,
      @Nullable String schema) {
    /// The key of the rules by which features without names were computed. Data sets with different
    /// values are not compatible with the same model.
    public static final String DEFINITION = "definition";

    /// The same of the features of edges.
    public static final String EDGE_DEFINITION = "edge definition";

    /// Copies mutable arguments.
    public Info {
      Objects.requireNonNull(name, "name");
      classNames = List.copyOf(classNames);
      provenance = Map.copyOf(provenance);
    }

    /// {@return the metadata of an undirected graph without classes or provenance}
    ///
    /// @param name the name in tables and run folders
    public static Info of(String name) {
      return new Info(name, false, List.of(), false, Map.of(), null);
    }

    /// {@return a copy for a directed graph}
    public Info asDirected() {
      return new Info(name, true, classNames, nestedNames, provenance, schema);
    }

    /// {@return a copy for an undirected graph}
    Info asUndirected() {
      return new Info(name, false, classNames, nestedNames, provenance, schema);
    }

    /// {@return a copy with other classes}
    ///
    /// @param names name of each class, in the order of their numbers
    public Info withClassNames(List<String> names) {
      return new Info(name, directed, names, nestedNames, provenance, schema);
    }

    /// {@return a copy whose vertex names are class names}
    public Info withNestedNames() {
      return new Info(name, directed, classNames, true, provenance, schema);
    }

    /// {@return a copy with another provenance}
    ///
    /// @param facts by name
    public Info withProvenance(Map<String, String> facts) {
      return new Info(name, directed, classNames, nestedNames, facts, schema);
    }

    /// {@return a copy with another schema}
    ///
    /// @param other JSON, or null for none
    public Info withSchema(@Nullable String other) {
      return new Info(name, directed, classNames, nestedNames, provenance, other);
    }
  }

  /// What is to be predicted: at most one of the three.
  @SuppressWarnings("ArrayRecordComponent")
  private record Known(int[] labels, @Nullable Targets targets, @Nullable LinkTask links) {
    static final Known NOTHING = new Known(new int[0], null, null);
  }

  /// What is known of edges beside their ends and weights, and with it the types of vertices.
  private record Described(
      @Nullable GraphTypes types, @Nullable EdgeTimes times, @Nullable EdgeFeatures features) {
    static final Described NOTHING = new Described(null, null, null);
  }

  /// What a graph of relations is made of.
  ///
  /// @param relations by which messages pass
  /// @param graph whose relations they are
  private record Related(Relations relations, GraphData graph) {}

  private final Arena arena;
  private final Info info;
  private final CsrMatrix adjacency;
  private final Features features;
  private final Known known;
  private final byte[] split;
  private final @Nullable List<String> vertexNames;
  private final @Nullable List<String> featureNames;
  private final Described described;
  private final @Nullable Related related;

  private GraphData(
      Arena arena,
      Info info,
      CsrMatrix adjacency,
      Features features,
      Known known,
      byte[] split,
      @Nullable List<String> vertexNames,
      @Nullable List<String> featureNames,
      Described described,
      @Nullable Related related) {
    this.arena = arena;
    this.info = info;
    this.adjacency = adjacency;
    this.features = features;
    this.known = known;
    this.split = split;
    this.vertexNames = vertexNames;
    this.featureNames = featureNames;
    this.described = described;
    this.related = related;
  }

  /// {@return a graph without features, labels, split or names}
  ///
  /// @param arena owner of all off-heap memory of the data set; closed by [#close]
  /// @param info name, classes and provenance
  /// @param adjacency `A` (`n x n`), row = source; canonical rows, symmetric unless the graph is
  ///   directed; values are edge weights if there are any
  /// @throws IllegalArgumentException if the matrix is not square
  public static GraphData of(Arena arena, Info info, CsrMatrix adjacency) {
    Objects.requireNonNull(arena, "arena");
    Objects.requireNonNull(info, "info");
    if (adjacency.rows() != adjacency.cols()) {
      throw new IllegalArgumentException("adjacency: expected a square matrix, found " + adjacency);
    }
    return new GraphData(
        arena,
        info,
        adjacency,
        new Features.None(),
        Known.NOTHING,
        new byte[0],
        null,
        null,
        Described.NOTHING,
        null);
  }

  /// Returns a builder of a data set from Java arrays.
  ///
  /// @param vertices `n`
  /// @return an empty builder
  public static GraphDataBuilder builder(int vertices) {
    return new GraphDataBuilder(vertices);
  }

  /// {@return name, classes and provenance}
  public Info info() {
    return info;
  }

  /// {@return the name of the data set in tables and run folders}
  public String name() {
    return info.name();
  }

  /// {@return `n`}
  public int vertices() {
    return adjacency.cols();
  }

  /// {@return the number of edges: each undirected edge once, a self loop once}
  public long edges() {
    if (related != null) {
      return related.graph.edges();
    }
    if (info.directed()) {
      return adjacency.nnz();
    }
    return (adjacency.nnz() + SelfLoops.count(adjacency)) / 2;
  }

  /// {@return `A` (`n x n`), row = source, columns ascending in each row; values are edge weights
  /// if there are any}
  public CsrMatrix adjacency() {
    return adjacency;
  }

  /// {@return `X` (`n x f`), or [Features.None]}
  public Features features() {
    return features;
  }

  /// {@return the number of classes; 0 without labels}
  public int classes() {
    return info.classNames().size();
  }

  /// {@return the class of each vertex or [#UNLABELLED] (`n`); empty without labels}. Borrowed.
  public int[] labels() {
    return known.labels;
  }

  /// {@return what is to be predicted of each vertex, or null if that is its class or nothing}
  public @Nullable Targets targets() {
    return known.targets;
  }

  /// {@return the edges that are to be predicted, or null if something of vertices is, or nothing}
  public @Nullable LinkTask links() {
    return known.links;
  }

  /// {@return the memory of the graph, and of edges that are not in it}
  public List<MemorySegment> graphSegments() {
    List<MemorySegment> segments = new ArrayList<>(adjacency.segments());
    addFeatures(this, segments);
    if (known.links != null) {
      addOthers(known.links.parts().whole(), segments);
    }
    if (related != null) {
      addOthers(related.graph, segments);
    }
    return segments;
  }

  private static void addFeatures(GraphData graph, List<MemorySegment> segments) {
    EdgeFeatures features = graph.edgeFeatures();
    if (features != null) {
      segments.add(features.x().data());
    }
  }

  /// Adds the memory of the graph that this one was made of, and of its types and features.
  private static void addOthers(GraphData graph, List<MemorySegment> segments) {
    List<MemorySegment> theirs = new ArrayList<>(graph.adjacency.segments());
    masks(graph.types()).ifPresent(theirs::add);
    addFeatures(graph, theirs);
    theirs.stream().filter(each -> !segments.contains(each)).forEach(segments::add);
  }

  private static Optional<MemorySegment> masks(@Nullable GraphTypes types) {
    return Optional.ofNullable(types).map(GraphTypes::masks);
  }

  /// {@return the memory of labels or numbers to predict; empty for classes}
  public List<MemorySegment> targetSegments() {
    return known.targets == null ? List.of() : List.of(known.targets.values().data());
  }

  /// {@return what is predicted}
  public Task task() {
    if (known.links != null) {
      return Task.LINKS;
    }
    return known.targets == null ? Task.CLASSIFICATION : known.targets.task();
  }

  /// {@return the names of what a network puts out for each vertex: of the classes, of the labels,
  /// of the numbers, or of the columns by which vertices are compared}
  public List<String> outputNames() {
    if (known.links != null) {
      return known.links.names();
    }
    return known.targets == null ? info.classNames() : known.targets.names();
  }

  /// {@return the number of what a network puts out for each vertex}
  public int outputs() {
    return outputNames().size();
  }

  /// {@return the [Split] code of each vertex (`n`); empty without a split}. Borrowed.
  public byte[] split() {
    return split;
  }

  /// {@return whether vertices have features: without features, only partitioning is possible}
  public boolean hasFeatures() {
    return features.width() > 0;
  }

  /// {@return whether vertices may have classes}
  public boolean hasLabels() {
    return known.labels.length > 0;
  }

  /// {@return whether there is something to predict: classes, labels, numbers or edges}
  public boolean hasTruth() {
    return hasLabels() || known.targets != null || known.links != null;
  }

  /// {@return whether there is a split into training, validation and test vertices}. If not,
  /// [dev.gossamer.graph.format.Splits#draw] draws one.
  public boolean hasSplit() {
    return split.length > 0;
  }

  /// {@return whether something is known of a vertex: its class, a label or a number}
  ///
  /// @param vertex in `0..n-1`
  public boolean isKnown(int vertex) {
    return known.targets == null
        ? vertex < known.labels.length && known.labels[vertex] != UNLABELLED
        : known.targets.isKnown(vertex);
  }

  /// {@return whether a vertex is in a part of the split and something is known of it}
  ///
  /// @param vertex in `0..n-1`
  /// @param part of the split
  public boolean isLabelled(int vertex, Split part) {
    return vertex < split.length && split[vertex] == part.code() && isKnown(vertex);
  }

  /// {@return the vertices in a part of the split of which something is known, ascending}
  ///
  /// @param part of the split
  public int[] labelled(Split part) {
    return IntStream.range(0, vertices()).filter(v -> isLabelled(v, part)).toArray();
  }

  /// {@return the vertices that batches may be made of, ascending: those in the training part of
  /// which something is known, or if edges are predicted all, as any may be drawn against an edge}
  public int[] batched() {
    return known.links == null ? labelled(Split.TRAIN) : IntStream.range(0, vertices()).toArray();
  }

  /// {@return the number of vertices of each class in a part of the split}
  ///
  /// @param part of the split
  public long[] classCounts(Split part) {
    long[] counts = new long[classes()];
    for (int v : labelled(part)) {
      counts[known.labels[v]]++;
    }
    return counts;
  }

  /// {@return the user's own name of each vertex, or null if they are `0..n-1`}
  public @Nullable List<String> vertexNames() {
    return vertexNames;
  }

  /// {@return the name of each feature, in the order of the columns of `X`, or null if they are not
  /// known}
  public @Nullable List<String> featureNames() {
    return featureNames;
  }

  /// {@return the types of vertices and edges, or null if there is one of each}
  public @Nullable GraphTypes types() {
    return described.types;
  }

  /// {@return the time of each edge, or null if it is not known}
  public @Nullable EdgeTimes times() {
    return described.times;
  }

  /// {@return the features of each edge, or null if there are none}
  public @Nullable EdgeFeatures edgeFeatures() {
    return described.features;
  }

  /// {@return the relations by which messages pass, of a graph of relations ([Relations#of]); null
  /// of others}
  public @Nullable Relations relations() {
    return related == null ? null : related.relations;
  }

  /// The graph of the relations of this one.
  ///
  /// @param relations the names, and sets by the values of entries
  /// @param matrix the pattern, symmetric, with the number of the set of each entry
  GraphData related(Relations relations, CsrMatrix matrix) {
    GraphTypes types = types();
    return new GraphData(
        arena,
        info.asUndirected(),
        matrix,
        features,
        known,
        split,
        vertexNames,
        featureNames,
        new Described(types == null ? null : types.withoutEdges(), null, null),
        new Related(relations, this));
  }

  /// {@return a copy with types of vertices and edges}
  ///
  /// @param other of all `n` vertices and all entries of `A`; null for none
  /// @throws IllegalArgumentException if the numbers differ
  public GraphData withTypes(@Nullable GraphTypes other) {
    if (other != null) {
      requireRows("types", other.vertices().stream().mapToLong(GraphTypes.OfVertices::count).sum());
      MemorySegment masks = other.masks();
      if (masks != null && masks.byteSize() != adjacency.nnz() * Integer.BYTES) {
        throw new IllegalArgumentException(
            "types: expected those of %d entries, found %d"
                .formatted(adjacency.nnz(), masks.byteSize() / Integer.BYTES));
      }
    }
    return with(new Described(other, described.times, described.features));
  }

  /// {@return a copy with a time of each edge}
  ///
  /// @param other of all entries of `A`; of an undirected graph, equal in both directions; null for
  ///   none
  /// @throws IllegalArgumentException if the number differs
  public GraphData withTimes(@Nullable EdgeTimes other) {
    if (other != null && other.count() != adjacency.nnz()) {
      throw new IllegalArgumentException(
          "times: expected those of %d entries, found %d"
              .formatted(adjacency.nnz(), other.count()));
    }
    return with(new Described(described.types, other, described.features));
  }

  /// {@return a copy with features of each edge}
  ///
  /// @param other of all entries of `A`; of an undirected graph, equal in both directions; null for
  ///   none
  /// @throws IllegalArgumentException if the number differs
  public GraphData withEdgeFeatures(@Nullable EdgeFeatures other) {
    if (other != null && other.x().rows() != adjacency.nnz()) {
      throw new IllegalArgumentException(
          "edgeFeatures: expected those of %d entries, found %d"
              .formatted(adjacency.nnz(), other.x().rows()));
    }
    return with(new Described(described.types, described.times, other));
  }

  private GraphData with(Described other) {
    return new GraphData(
        arena, info, adjacency, features, known, split, vertexNames, featureNames, other, related);
  }

  /// {@return a copy with other metadata}
  ///
  /// @param other name, classes and provenance
  public GraphData withInfo(Info other) {
    Objects.requireNonNull(other, "info");
    return new GraphData(
        arena,
        other,
        adjacency,
        features,
        known,
        split,
        vertexNames,
        featureNames,
        described,
        related);
  }

  /// {@return a copy with other features, without feature names}
  ///
  /// @param x `n` rows in memory that lives as long as this data set, or [Features.None]
  /// @throws IllegalArgumentException if the number of rows differs
  public GraphData withFeatures(Features x) {
    switch (x) {
      case Features.Dense dense -> requireRows("features", dense.x().rows());
      case Features.Sparse sparse -> requireRows("features", sparse.x().rows());
      case Features.None none -> {}
    }
    return new GraphData(
        arena, info, adjacency, x, known, split, vertexNames, null, described, related);
  }

  /// {@return a copy with feature names}
  ///
  /// @param names of each feature (`f`), not copied; null if they are not known
  /// @throws IllegalArgumentException if the number of elements differs
  public GraphData withFeatureNames(@Nullable List<String> names) {
    if (names != null && names.size() != features.width()) {
      throw new IllegalArgumentException(
          "featureNames: expected one for each of %d features, found %d"
              .formatted(features.width(), names.size()));
    }
    return new GraphData(
        arena, info, adjacency, features, known, split, vertexNames, names, described, related);
  }

  /// {@return a copy with other labels, and nothing else to predict}
  ///
  /// @param classes of each vertex, or [#UNLABELLED] (`n`), not copied; empty for none
  /// @throws IllegalArgumentException if the number of elements differs
  public GraphData withLabels(int[] classes) {
    requireRows("labels", classes.length == 0 ? vertices() : classes.length);
    return new GraphData(
        arena,
        info,
        adjacency,
        features,
        new Known(classes, null, null),
        split,
        vertexNames,
        featureNames,
        described,
        related);
  }

  /// {@return a copy with other classes, and nothing else to predict}
  ///
  /// @param classes of each vertex, or [#UNLABELLED] (`n`), not copied; empty for none
  /// @param names of each class, in the order of their numbers
  /// @throws IllegalArgumentException if the number of elements differs
  public GraphData withLabels(int[] classes, List<String> names) {
    return withInfo(info.withClassNames(names)).withLabels(classes);
  }

  /// {@return a copy with labels or numbers to predict in place of classes}
  ///
  /// @param other of all `n` vertices, in memory that lives as long as this data set
  /// @throws IllegalArgumentException if the number of rows differs
  public GraphData withTargets(Targets other) {
    requireRows("targets", other.values().rows());
    return new GraphData(
        arena,
        info.withClassNames(List.of()),
        adjacency,
        features,
        new Known(new int[0], other, null),
        split,
        vertexNames,
        featureNames,
        described,
        related);
  }

  /// {@return a copy whose edges are to be predicted, and nothing else: messages pass over the
  /// training edges}
  ///
  /// @param other the edges by their use, in memory that lives as long as this data set
  public GraphData withLinks(LinkTask other) {
    return new GraphData(
        arena,
        info.withClassNames(List.of()),
        other.parts().messages(),
        features,
        new Known(new int[0], null, other),
        new byte[0],
        vertexNames,
        featureNames,
        new Described(other.parts().messageTypes(), null, other.parts().messageFeatures()),
        null);
  }

  /// {@return the whole graph, with nothing to predict: edges that were held out are in it again;
  /// this data set if none were}
  public GraphData withoutLinks() {
    LinkTask links = known.links;
    return links == null
        ? this
        : new GraphData(
            arena,
            info,
            links.parts().all(),
            features,
            Known.NOTHING,
            split,
            vertexNames,
            featureNames,
            links.parts().whole().described,
            null);
  }

  /// {@return a copy with another split}
  ///
  /// @param codes [Split#code] of each vertex (`n`), not copied; empty for none
  /// @throws IllegalArgumentException if the number of elements differs
  public GraphData withSplit(byte[] codes) {
    requireRows("split", codes.length == 0 ? vertices() : codes.length);
    return new GraphData(
        arena,
        info,
        adjacency,
        features,
        known,
        codes,
        vertexNames,
        featureNames,
        described,
        related);
  }

  /// {@return a copy with other names of vertices}
  ///
  /// @param names of each vertex (`n`), not copied; null for `0..n-1`
  /// @throws IllegalArgumentException if the number of elements differs
  public GraphData withVertexNames(@Nullable List<String> names) {
    requireRows("vertexNames", names == null ? vertices() : names.size());
    return new GraphData(
        arena, info, adjacency, features, known, split, names, featureNames, described, related);
  }

  private void requireRows(String component, long found) {
    if (found != vertices()) {
      throw new IllegalArgumentException(
          "%s: expected one for each of %d vertices, found %d"
              .formatted(component, vertices(), found));
    }
  }

  /// {@return a copy with every feature row divided by its sum, unless that is 0}
  ///
  /// @param owner of the new features, which must not outlive it; may be freed before the rest
  public GraphData withNormalisedFeatures(Arena owner) {
    Features normalised =
        switch (features) {
          case Features.Dense dense -> new Features.Dense(RowNormalisation.of(owner, dense.x()));
          case Features.Sparse sparse ->
              new Features.Sparse(RowNormalisation.of(owner, sparse.x()));
          case Features.None none -> none;
        };
    return withFeatures(normalised).withFeatureNames(featureNames);
  }

  /// {@return a copy with standardised features}
  ///
  /// @param owner of the new features, which must not outlive it; may be freed before the rest
  /// @param scale with the same number of columns
  public GraphData withStandardisedFeatures(Arena owner, Standardisation scale) {
    return withFeatures(scale.applied(owner, features)).withFeatureNames(featureNames);
  }

  /// Frees the memory of this data set and of all data sets that share it.
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
