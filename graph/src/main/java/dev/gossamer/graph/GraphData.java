package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A graph with what is known of its vertices. Read-only by convention; arrays are not copied.
public final class GraphData implements AutoCloseable {
  /// Label of a vertex whose class is not known: it takes part in the graph, never in loss or
  /// accuracy.
  public static final int UNLABELLED = -1;

  /// What is said about a data set beside its arrays.
  ///
  /// @param name what tables and run folders call it
  /// @param directed whether `A` is stored as given; an undirected graph holds each edge in both
  ///   directions
  /// @param classNames name of each class; its size is the number of classes
  /// @param nestedNames vertex names are class names and `Outer$Inner` follows `Outer` when a split
  ///   is drawn
  /// @param provenance where it comes from and what identifies it (`fingerprint`, `jdk`, `seed`,
  ///   ...), printed with results
  @SuppressWarnings("AvoidCommonTypeNames")
  public record Info(
      String name,
      boolean directed,
      List<String> classNames,
      boolean nestedNames,
      Map<String, String> provenance) {
    public Info {
      classNames = List.copyOf(classNames);
      provenance = Map.copyOf(provenance);
    }
  }

  private final Arena arena;
  private final Info info;
  private final CsrMatrix adjacency;
  private final Features features;
  private final int[] labels;
  private final byte[] split;
  private final @Nullable List<String> vertexNames;

  /// @param arena owner of all off-heap memory below; closed by [#close]
  /// @param adjacency `A` (`n x n`), row = source; canonical rows; values are edge weights if there
  ///   are any
  /// @param features `X` (`n x f`) or [Features.None]
  /// @param labels class of each vertex (`n`) or [#UNLABELLED]; empty if the data set has no labels
  /// @param split [Split] code of each vertex (`n`); empty if the data set has no split
  /// @param vertexNames the user's own name of each vertex, or null if they are `0..n-1`
  public GraphData(
      Arena arena,
      Info info,
      CsrMatrix adjacency,
      Features features,
      int[] labels,
      byte[] split,
      @Nullable List<String> vertexNames) {
    this.arena = arena;
    this.info = info;
    this.adjacency = adjacency;
    this.features = features;
    this.labels = labels;
    this.split = split;
    this.vertexNames = vertexNames;
  }

  public Info info() {
    return info;
  }

  public String name() {
    return info.name();
  }

  /// `n`.
  public int vertices() {
    return adjacency.cols();
  }

  /// Edges as people count them: each undirected edge once, a self loop once.
  public long edges() {
    if (info.directed()) {
      return adjacency.nnz();
    }
    long loops = 0;
    for (int v = 0; v < vertices(); v++) {
      for (long e = adjacency.rowPointer(v); e < adjacency.rowPointer(v + 1); e++) {
        loops += adjacency.column(e) == v ? 1 : 0;
      }
    }
    return (adjacency.nnz() + loops) / 2;
  }

  public CsrMatrix adjacency() {
    return adjacency;
  }

  public Features features() {
    return features;
  }

  public int classes() {
    return info.classNames().size();
  }

  public int[] labels() {
    return labels;
  }

  public byte[] split() {
    return split;
  }

  /// Whether a vertex is in a part of the split and its class is known.
  public boolean isLabelled(int vertex, Split part) {
    return vertex < split.length && split[vertex] == part.code() && labels[vertex] != UNLABELLED;
  }

  /// The user's own name of each vertex, or null if they are `0..n-1`.
  public @Nullable List<String> vertexNames() {
    return vertexNames;
  }

  /// The same data with another split; shares (and must not outlive) this data set's memory.
  public GraphData withSplit(byte[] newSplit) {
    return new GraphData(arena, info, adjacency, features, labels, newSplit, vertexNames);
  }

  /// The same data with every feature row divided by its sum (rows that sum to 0 stay), in new
  /// memory; shares (and must not outlive) the rest of this data set's memory.
  public GraphData withNormalisedFeatures() {
    Features normalised =
        switch (features) {
          case Features.Dense dense -> new Features.Dense(RowNormalisation.of(arena, dense.x()));
          case Features.Sparse sparse ->
              new Features.Sparse(RowNormalisation.of(arena, sparse.x()));
          case Features.None none -> none;
        };
    return new GraphData(arena, info, adjacency, normalised, labels, split, vertexNames);
  }

  @Override
  public void close() {
    arena.close();
  }
}
