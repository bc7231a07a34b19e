package dev.gossamer;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.TopProducts;
import dev.gossamer.matrix.format.RowGather;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/// For some vertices, others that are likeliest to have an edge with them and have none yet.
/// Vertices are compared exactly, with all others.
///
/// In a graph of several types of vertices, only those of a type are recommended to which vertices
/// of the type in question have edges: to users goods, not users.
public final class Recommendations {
  private final int[] vertices;
  private final List<List<Item>> items;
  private final IntFunction<String> names;

  /// A vertex that is recommended.
  ///
  /// @param vertex its number
  /// @param name the user's own name of it; its number if the data have no names
  /// @param probability of an edge, as the network learned it from edges and as many drawn pairs
  public record Item(int vertex, String name, double probability) {}

  private Recommendations(int[] vertices, List<List<Item>> items, IntFunction<String> names) {
    this.vertices = vertices;
    this.items = items;
    this.names = names;
  }

  /// Compares vectors.
  ///
  /// @param vectors of all vertices, `n x f`
  /// @param data the graph, whose edges are not recommended
  /// @param vertices to recommend for
  /// @param top most for each
  static Recommendations of(
      DenseMatrix vectors,
      GraphData data,
      int[] vertices,
      int top,
      Matmul matmul,
      IntFunction<String> names,
      Workers workers) {
    boolean[][] connected = connected(data);
    GraphTypes types = data.types();
    CsrMatrix edges = data.adjacency();
    TopProducts.Admission admission =
        (query, row) -> {
          int vertex = vertices[query];
          return row != vertex
              && edges.find(vertex, row) < 0
              && (types == null || connected[types.ofVertex(vertex)][types.ofVertex(row)]);
        };
    int width = vectors.cols();
    List<List<Item>> items = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      DenseMatrix queries = DenseMatrix.allocate(arena, vertices.length, width);
      RowGather.gather(vectors, vertices, queries, workers);
      for (TopProducts.Best best :
          TopProducts.of(queries, vectors, top, admission, matmul, workers)) {
        List<Item> some = new ArrayList<>();
        for (int k = 0; k < best.rows().length; k++) {
          double probability = 1 / (1 + Math.exp(-best.products()[k]));
          int row = best.rows()[k];
          some.add(new Item(row, names.apply(row), probability));
        }
        items.add(List.copyOf(some));
      }
    }
    return new Recommendations(vertices.clone(), items, names);
  }

  /// Which types of vertices have edges to which.
  private static boolean[][] connected(GraphData data) {
    GraphTypes types = data.types();
    if (types == null) {
      return new boolean[0][];
    }
    int count = types.vertices().size();
    boolean[][] connected = new boolean[count][count];
    for (int v = 0; v < data.vertices(); v++) {
      boolean[] row = connected[types.ofVertex(v)];
      Arrays.stream(data.adjacency().rowColumns(v)).forEach(u -> row[types.ofVertex(u)] = true);
    }
    return connected;
  }

  /// {@return the number of vertices that something is recommended for}
  public int count() {
    return vertices.length;
  }

  /// {@return the number of one of these vertices}
  ///
  /// @param i from 0 on
  public int vertex(int i) {
    return vertices[i];
  }

  /// {@return the user's own name of one of these vertices; its number if the data have no names}
  ///
  /// @param i from 0 on
  public String name(int i) {
    return names.apply(vertices[i]);
  }

  /// {@return what is recommended for one of these vertices, the likeliest first, of equal ones the
  /// lower number; fewer than asked for if there are no more}
  ///
  /// @param i from 0 on
  public List<Item> items(int i) {
    return items.get(i);
  }
}
