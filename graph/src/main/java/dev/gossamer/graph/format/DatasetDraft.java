package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.EdgeFeatureMeans;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Targets;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A data set under construction by a reader. Owns the memory until [#finish] transfers it.
public final class DatasetDraft implements AutoCloseable {
  /// The key of the number of duplicate edges in the provenance.
  public static final String MERGED = "merged";

  /// The key of the data of the file that were dropped, in the provenance.
  public static final String DROPPED = "dropped";

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final long SMALL = 1 << 22;
  private static final long PER_BYTE = 2;
  private static final long FEATURE_ROWS = 1 << 12;
  static final int MOST_CLASSES = 1 << 20;

  private final Arena arena = Arena.ofShared();
  private final GraphFormat format;
  private final Path source;
  private final ReadOptions options;
  private final Map<String, String> provenance = new LinkedHashMap<>();
  private boolean finished;

  private @Nullable CsrMatrix adjacency;
  private boolean directed;
  private Features features = new Features.None();
  private @Nullable EdgeFeatures edgeFeatures;
  private @Nullable Supplier<? extends FileRows> streamed;
  private int streamedWidth;
  private int[] labels = new int[0];
  private @Nullable Targets targets;
  private byte[] split = new byte[0];
  private @Nullable GraphTypes types;
  private List<String> classNames = List.of();
  private @Nullable List<String> vertexNames;
  private @Nullable List<String> featureNames;

  /// Creates an empty draft.
  ///
  /// @param format of the source; recorded in the provenance
  /// @param source file or folder; recorded in the provenance
  /// @param options for reading
  public DatasetDraft(GraphFormat format, Path source, ReadOptions options) {
    this.format = format;
    this.source = source;
    this.options = options;
  }

  /// {@return the owner of the data set's memory}
  public Arena arena() {
    return arena;
  }

  /// Checks a count in a file before memory is allocated: ids are 32-bit, and a file has at least
  /// two bytes per id.
  ///
  /// @param place file and position, the start of the message
  /// @param what name of the counted items
  /// @param count in the file
  /// @param fileBytes size of the file
  /// @return the count
  /// @throws InvalidInputException if the count is too large
  public static int size(String place, String what, long count, long fileBytes) {
    if (count < 0 || count > Integer.MAX_VALUE) {
      throw new InvalidInputException(
          "%s: expected at most %d %s (ids are 32-bit), found %d"
              .formatted(place, Integer.MAX_VALUE, what, count));
    }
    long most = mostIn(fileBytes);
    if (count > most) {
      throw new InvalidInputException(
          "%s: expected at most %d %s in a file of %d bytes, found %d; number them without gaps"
              .formatted(place, most, what, fileBytes, count));
    }
    return (int) count;
  }

  /// The most vertices that a file of a size may claim.
  static long mostIn(long fileBytes) {
    return SMALL + PER_BYTE * Math.min(fileBytes, Integer.MAX_VALUE);
  }

  /// The form of an undirected graph's edges in a file.
  enum Given {
    /// Each edge once, without a direction.
    ONCE,
    /// Each edge in both directions.
    BOTH_WAYS,
    /// Arcs whose directions are dropped unless each has its reverse.
    AS_ARCS
  }

  /// Builds `A`. Undirected graphs lose their self loops, directed ones keep them. Merged and
  /// dropped edges are recorded in the provenance ([#MERGED], [#DROPPED]).
  ///
  /// @param vertices `n`
  /// @param arcs between them
  /// @param undirected whether each arc is stored in both directions
  /// @throws InvalidInputException if it needs more memory than the options allow
  public void graph(int vertices, Arcs arcs, boolean undirected) {
    if (undirected) {
      undirectedGraph(vertices, arcs, Given.AS_ARCS);
    } else {
      CsrMatrix a = build(new CsrBuilder(vertices, false, true, arcs.weighted()), arcs);
      directed = true;
      merged(arcs.size() - a.nnz());
    }
  }

  /// Builds `A` of an undirected graph, without self loops.
  void undirectedGraph(int vertices, Arcs arcs, Given given) {
    boolean mirror = given != Given.BOTH_WAYS;
    CsrMatrix a = build(new CsrBuilder(vertices, mirror, false, arcs.weighted()), arcs);
    directed = false;
    boolean bothWays = !mirror || isGivenBothWays(arcs, a);
    // Weights of the two directions were added: that counts as merging.
    boolean apart = !mirror || (bothWays && !arcs.weighted());
    merged(arcs.size() - arcs.loops() - (apart ? a.nnz() : a.nnz() / 2));
    if (given == Given.AS_ARCS && !bothWays) {
      dropped("directions");
    }
    if (arcs.loops() > 0) {
      dropped(counted(arcs.loops(), "self loop"));
    }
  }

  /// Builds the graph of an adjacency matrix, undirected unless the options say directed. A
  /// weighted matrix that is its own mirror image has the weight of each edge twice, which is not
  /// added.
  void matrix(int vertices, Arcs arcs) {
    boolean undirected = !options.directedOr(false);
    graph(vertices, arcs, undirected && !arcs.weighted());
    if (undirected && arcs.weighted()) {
      boolean mirrored = ArrayChecks.isSymmetric(adjacency());
      undirectedGraph(vertices, arcs, mirrored ? Given.BOTH_WAYS : Given.AS_ARCS);
    }
  }

  /// Builds the graph of a matrix, directed unless all arcs have a reverse with the same weight or
  /// the options say undirected.
  void directedMatrix(int vertices, Arcs arcs) {
    if (!options.directedOr(true)) {
      matrix(vertices, arcs);
      return;
    }
    graph(vertices, arcs, false);
    if (options.directed() == null && ArrayChecks.isSymmetric(adjacency())) {
      undirectedGraph(vertices, arcs, Given.BOTH_WAYS);
    }
  }

  private CsrMatrix build(CsrBuilder builder, Arcs arcs) {
    long needed = builder.peakBytes(arcs.size());
    if (needed > options.memoryLimit()) {
      throw new InvalidInputException(
          "%s: graph of %d vertices and %d arcs: expected at most %d bytes of memory, needs %d"
              .formatted(source, builder.vertices(), arcs.size(), options.memoryLimit(), needed));
    }
    CsrMatrix a = builder.build(arena, arcs);
    adjacency = a;
    return a;
  }

  /// Whether each entry of a mirrored matrix was given: repeats count once, so the arcs as they
  /// were given are built too.
  private static boolean isGivenBothWays(Arcs arcs, CsrMatrix a) {
    if (arcs.size() - arcs.loops() < a.nnz()) {
      return false;
    }
    try (Arena temporary = Arena.ofShared()) {
      return new CsrBuilder(a.cols(), false, false, false).build(temporary, arcs).nnz() == a.nnz();
    }
  }

  private void merged(long repeated) {
    provenance.remove(MERGED);
    if (repeated > 0) {
      fact(MERGED, counted(repeated, "repeated edge"));
    }
  }

  /// Records data of the file that are not in the data set.
  void dropped(String what) {
    provenance.merge(DROPPED, what, (before, more) -> before + ", " + more);
  }

  /// {@return a number and what is counted, in the singular or plural: `1 edge`, `2,000 edges`}
  ///
  /// @param count at least 0
  /// @param what one of them
  public static String counted(long count, String what) {
    return "%,d %s%s".formatted(count, what, count == 1 ? "" : "s");
  }

  CsrMatrix adjacency() {
    if (adjacency == null) {
      throw new IllegalStateException("no graph yet");
    }
    return adjacency;
  }

  /// Computes the features of the edges of the graph: the means over the arcs that were merged into
  /// each.
  ///
  /// @param place of the features, the start of a message
  /// @param arcs that the graph was built from
  /// @param rows of each arc, in their order
  /// @throws InvalidInputException if they need more memory than the options allow
  void edgeFeatures(String place, Arcs arcs, FileRows rows) {
    CsrMatrix a = adjacency();
    int width = rows.width();
    long needed = DenseMatrix.bytes(a.nnz(), width);
    if (needed > options.memoryLimit()) {
      throw new InvalidInputException(
          "%s: %d features of %d arcs: expected at most %d bytes of memory, needs %d; without the features, the graph is read alone"
              .formatted(place, width, a.nnz(), options.memoryLimit(), needed));
    }
    try (EdgeFeatureMeans means = new EdgeFeatureMeans(arena, a, directed, width);
        Arena temporary = Arena.ofConfined()) {
      DenseMatrix block =
          DenseMatrix.allocate(temporary, Math.min(FEATURE_ROWS, arcs.size()), width);
      long[] next = {0};
      arcs.forEach((source, target, weight) -> {
        long row = next[0]++ % FEATURE_ROWS;
        if (row == 0) {
          long begin = next[0] - 1;
          rows.fill(begin, block.rows(0, Math.min(FEATURE_ROWS, arcs.size() - begin)));
        }
        long entry = EdgeFeatureMeans.entry(a, directed, source, target);
        means.add(entry);
        for (int f = 0; f < width; f++) {
          means.add(entry, f, block.get(row, f));
        }
      });
      means.endGroup(0, width);
      edgeFeatures = new EdgeFeatures(means.features(), List.of());
    }
  }

  void features(DenseMatrix x) {
    features = x.cols() == 0 ? new Features.None() : new Features.Dense(x);
  }

  /// Sets dense features that stay in their file for now.
  ///
  /// @param rows opens them for one pass, and checks the shape
  void features(Supplier<? extends FileRows> rows) {
    try (FileRows found = rows.get()) {
      streamedWidth = found.width();
      streamed = rows;
    }
  }

  /// Sets sparse features; values are dropped if all are 1.
  ///
  /// @param x one row per vertex
  public void features(CsrMatrix x) {
    MemorySegment values = x.values();
    boolean ones = true;
    for (long i = 0; values != null && ones && i < x.nnz(); i++) {
      ones = values.get(FLOAT, i * Float.BYTES) == 1f;
    }
    features = new Features.Sparse(ones ? x.withValues(null) : x);
  }

  /// Returns the features per vertex so far.
  int width() {
    return streamed == null ? features.width() : streamedWidth;
  }

  /// Sets the labels.
  ///
  /// @param classes of each vertex, or [GraphData#UNLABELLED]
  /// @param names of the classes
  public void labels(int[] classes, List<String> names) {
    labels = classes;
    classNames = names;
  }

  /// Sets labels or numbers to predict, in place of classes.
  ///
  /// @param values of each vertex, in memory of [#arena]
  public void targets(Targets values) {
    targets = values;
  }

  /// Sets labels of an array: one column has classes, several have labels or numbers.
  ///
  /// @param n number of vertices
  /// @param names of the classes or columns; empty for numbers
  void labels(NpyStream stored, int n, List<String> names) {
    List<Long> shape = stored.shape();
    boolean several = shape.size() == 2 && shape.getFirst() == n && shape.getLast() > 1;
    if (!several) {
      labels(ClassLabels.of(stored, n, names));
      return;
    }
    if (!names.isEmpty() && names.size() != shape.getLast()) {
      throw stored.wrong("header", "%d x %d".formatted(n, names.size()), shape.toString());
    }
    targets(TargetValues.of(arena, stored, n).targets(null, names));
  }

  void labels(ClassLabels read) {
    labels(read.labels(), read.names());
  }

  /// Sets labels by name: classes are the names in alphabetical order.
  void labels(List<String> names) {
    List<String> distinct = List.copyOf(new TreeSet<>(names));
    Map<String, Integer> ids = new LinkedHashMap<>();
    distinct.forEach(name -> ids.put(name, ids.size()));
    labels(names.stream().mapToInt(ids::get).toArray(), distinct);
  }

  /// The names `0..classes-1`.
  ///
  /// @param place file and position, the start of the message
  static List<String> numbered(String place, int classes) {
    if (classes > MOST_CLASSES) {
      throw new InvalidInputException(
          "%s: expected at most %d classes, found %d".formatted(place, MOST_CLASSES, classes));
    }
    List<String> names = new ArrayList<>();
    for (int c = 0; c < classes; c++) {
      names.add(Integer.toString(c));
    }
    return names;
  }

  void split(byte[] codes) {
    split = codes;
  }

  void types(GraphTypes several) {
    types = several;
  }

  void vertexNames(List<String> names) {
    vertexNames = names;
  }

  /// Sets the names of the features.
  ///
  /// @param names of each feature, in the order of the columns
  public void featureNames(List<String> names) {
    featureNames = names;
  }

  void fact(String key, String value) {
    provenance.put(key, value);
  }

  /// Builds the data set, which takes ownership of the memory.
  ///
  /// @param name the name of the data set in tables and run folders
  /// @return the data set, to be closed by the caller
  public GraphData finish(String name) {
    try (StreamedData data = stream(name)) {
      return data.inMemory();
    }
  }

  /// Builds the data set but for features that stay in their file.
  ///
  /// @param name as for [#finish]
  /// @return the data set, to be closed by the caller
  StreamedData stream(String name) {
    CsrMatrix a = adjacency();
    if (streamed != null && featureNames != null) {
      features = StreamedData.read(streamed, arena, a.rows());
      streamed = null;
    }
    fact("format", format.name());
    fact("source", String.valueOf(source.toAbsolutePath().normalize().getFileName()));
    GraphData.Info info = new GraphData.Info(name, directed, classNames, false, provenance, null);
    GraphData dataset =
        GraphData.of(arena, info, a)
            .withFeatures(features)
            .withFeatureNames(featureNames)
            .withEdgeFeatures(edgeFeatures)
            .withLabels(labels)
            .withSplit(split)
            .withTypes(types)
            .withVertexNames(vertexNames);
    if (targets != null) {
      dataset = dataset.withTargets(targets);
    }
    finished = true;
    return streamed == null ? StreamedData.of(dataset) : StreamedData.of(dataset, arena, streamed);
  }

  /// Frees the memory unless [#finish] has transferred it.
  @Override
  public void close() {
    if (!finished) {
      arena.close();
    }
  }
}
