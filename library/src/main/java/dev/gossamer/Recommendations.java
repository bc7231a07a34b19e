package dev.gossamer;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.dense.TopProducts;
import java.util.ArrayList;
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

  /// What is wanted.
  ///
  /// @param data the graph, whose edges are not recommended
  /// @param vertices to recommend for
  /// @param type number of the type of edges; -1 for all
  /// @param top most for each
  @SuppressWarnings("ArrayRecordComponent")
  record Wanted(GraphData data, int[] vertices, int type, int top) {
    /// Whether an edge counts.
    private boolean has(long entry) {
      GraphTypes types = data.types();
      return type < 0 || types == null || types.has(entry, type);
    }

    /// Which types of vertices have edges to which.
    private boolean[][] connected() {
      GraphTypes types = data.types();
      if (types == null) {
        return new boolean[0][];
      }
      CsrMatrix a = data.adjacency();
      int count = types.vertices().size();
      boolean[][] connected = new boolean[count][count];
      for (int v = 0; v < data.vertices(); v++) {
        boolean[] row = connected[types.ofVertex(v)];
        for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
          if (has(e)) {
            row[types.ofVertex(a.column(e))] = true;
          }
        }
      }
      return connected;
    }

    private TopProducts.Admission admission() {
      boolean[][] connected = connected();
      GraphTypes types = data.types();
      CsrMatrix edges = data.adjacency();
      return (query, row) -> {
        int vertex = vertices[query];
        if (row == vertex
            || (types != null && !connected[types.ofVertex(vertex)][types.ofVertex(row)])) {
          return false;
        }
        long entry = edges.find(vertex, row);
        return entry < 0 || !has(entry);
      };
    }
  }

  /// Compares vertices.
  ///
  /// @param scores of the vertices to recommend for with all
  /// @param wanted for which vertices, and how many
  /// @param names of vertices by their number
  /// @param workers threads that share the work
  static Recommendations of(
      TopProducts.Scores scores, Wanted wanted, IntFunction<String> names, Workers workers) {
    List<List<Item>> items = new ArrayList<>();
    for (TopProducts.Best best :
        TopProducts.of(scores, wanted.top(), wanted.admission(), workers)) {
      List<Item> some = new ArrayList<>();
      for (int k = 0; k < best.rows().length; k++) {
        double probability = probability(best.products()[k]);
        int row = best.rows()[k];
        some.add(new Item(row, names.apply(row), probability));
      }
      items.add(List.copyOf(some));
    }
    return new Recommendations(wanted.vertices().clone(), items, names);
  }

  /// {@return the probability of an edge with a score, its logistic function}
  static double probability(float score) {
    return 1 / (1 + Math.exp(-score));
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
