package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Random graphs small enough for dense oracles, with every kind of vertex: unlabelled, isolated,
/// in each part of the split.
public final class SmallGraphs {
  public static final int CLASSES = 3;

  private SmallGraphs() {}

  public static GraphData of(int n, int features, boolean directed, boolean sparse, long seed) {
    Random random = new Random(seed);
    Arena arena = Arena.ofShared();
    EdgeStream arcs =
        sink -> {
          Random edges = new Random(seed + 1);
          for (int i = 0; i < 3 * n; i++) {
            // Vertex n - 1 stays isolated.
            sink.arc(edges.nextInt(n - 1), edges.nextInt(n - 1), 1);
          }
        };
    CsrMatrix a = new CsrBuilder(n, !directed, false, false).build(arena, arcs);
    float[][] x = new float[n][features];
    int[] labels = new int[n];
    byte[] split = new byte[n];
    for (int v = 0; v < n; v++) {
      labels[v] = v % 7 == 3 ? GraphData.UNLABELLED : random.nextInt(CLASSES);
      split[v] = labels[v] < 0 ? Split.NONE.code() : (byte) (1 + v % 3);
      for (int j = 0; j < features; j++) {
        boolean present = !sparse || random.nextInt(3) == 0;
        x[v][j] = present ? (float) random.nextGaussian() : 0f;
      }
    }
    GraphData.Info info =
        new GraphData.Info("small", directed, List.of("a", "b", "c"), false, Map.of(), null);
    Features rows =
        sparse
            ? new Features.Sparse(sparse(arena, x))
            : new Features.Dense(DenseMatrix.of(arena, x));
    return GraphData.of(arena, info, a).withFeatures(rows).withLabels(labels).withSplit(split);
  }

  /// The same with three types of edges; each edge has one of them or several.
  public static GraphData typed(int n, int features, boolean directed, boolean sparse, long seed) {
    GraphData data = of(n, features, directed, sparse, seed);
    CsrMatrix a = data.adjacency();
    MemorySegment masks = Arena.ofAuto().allocate(a.nnz() * Integer.BYTES, Integer.BYTES);
    for (int u = 0; u < n; u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int v = a.column(e);
        long pair = directed ? (long) u * n + v : (long) Math.min(u, v) * n + Math.max(u, v);
        masks.setAtIndex(ValueLayout.JAVA_INT, e, 1 + new Random(seed + 31 * pair).nextInt(7));
      }
    }
    return data.withTypes(
        new GraphTypes(
            List.of(new GraphTypes.OfVertices("all", n)), List.of("a", "b", "c"), masks));
  }

  /// The same with features of edges, those of both directions equal if it is undirected.
  public static GraphData withEdgeFeatures(GraphData data, int width, long seed) {
    CsrMatrix a = data.adjacency();
    int n = data.vertices();
    boolean directed = data.info().directed();
    DenseMatrix x = DenseMatrix.allocate(Arena.ofAuto(), a.nnz(), width);
    for (int u = 0; u < n; u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int v = a.column(e);
        long pair = directed ? (long) u * n + v : (long) Math.min(u, v) * n + Math.max(u, v);
        Random random = new Random(seed + 31 * pair);
        for (int f = 0; f < width; f++) {
          x.set(e, f, (float) random.nextGaussian());
        }
      }
    }
    return data.withEdgeFeatures(new EdgeFeatures(x, List.of()));
  }

  /// A graph that layers of a kind can tell much of, as they read it.
  public static GraphData seen(
      LayerKind kind, int n, int features, boolean directed, boolean sparse, long seed) {
    if (kind.edgeFeatures() > 0) {
      return withEdgeFeatures(
          of(n, features, directed, sparse, seed), kind.edgeFeatures(), seed + 2);
    }
    return kind.sight() == LayerKind.Sight.RELATIONS
        ? kind.seen(Arena.ofAuto(), typed(n, features, directed, sparse, seed))
        : of(n, features, directed, sparse, seed);
  }

  private static CsrMatrix sparse(Arena arena, float[][] x) {
    EdgeStream entries =
        sink -> {
          for (int v = 0; v < x.length; v++) {
            for (int j = 0; j < x[v].length; j++) {
              if (x[v][j] != 0) {
                sink.arc(v, j, x[v][j]);
              }
            }
          }
        };
    CsrMatrix square =
        new CsrBuilder(Math.max(x.length, x[0].length), false, true, true).build(arena, entries);
    long[] pointers = new long[x.length + 1];
    for (int v = 0; v <= x.length; v++) {
      pointers[v] = square.rowPointer(v);
    }
    int[] columns = new int[(int) square.nnz()];
    float[] values = new float[columns.length];
    for (int e = 0; e < columns.length; e++) {
      columns[e] = square.column(e);
      values[e] = square.value(e);
    }
    return CsrMatrix.of(arena, x[0].length, pointers, columns, values);
  }
}
