package dev.gossamer.gnn.link;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.Stream;

/// The graph as a [LinkHeuristic] sees it: which vertices are neighbours of which, in either
/// direction. Immutable; ranks of a process share it.
public final class NeighbourGraph {
  /// Pairs of one task, which begins with the walks from its first vertex.
  private static final int TASK_PAIRS = 1 << 12;

  private final CsrMatrix neighbours;

  private NeighbourGraph(CsrMatrix neighbours) {
    this.neighbours = neighbours;
  }

  /// {@return the neighbours in a graph, over those edges that a network sees} Cost: nothing if it
  /// is undirected, else two passes over its edges.
  ///
  /// @param arena owner of a copy; must outlive the result
  /// @param data the graph; borrowed
  public static NeighbourGraph of(Arena arena, GraphData data) {
    CsrMatrix a = data.adjacency();
    if (!data.info().directed()) {
      return new NeighbourGraph(a);
    }
    return new NeighbourGraph(
        CsrBuilder.undirected(data.vertices())
            .build(
                arena,
                sink -> {
                  for (int v = 0; v < data.vertices(); v++) {
                    for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
                      sink.arc(v, a.column(e), 1);
                    }
                  }
                }));
  }

  /// {@return bytes of a process that scores pairs, at most}
  ///
  /// @param data the graph
  /// @param processThreads threads of all ranks of the process
  public static long bytes(GraphData data, int processThreads) {
    long copy =
        data.info().directed()
            ? CsrBuilder.undirected(data.vertices()).peakBytes(data.adjacency().nnz())
            : 0;
    return copy + (long) processThreads * Walks.bytes(data.vertices());
  }

  /// Scores pairs. Cost: for each change of the first vertex the degrees of its neighbours, for
  /// [LinkHeuristic#KATZ] those of their neighbours too, and for each pair the degree of its second
  /// vertex.
  ///
  /// @param heuristic the score
  /// @param firsts a vertex of each pair; pairs with the same one are best side by side
  /// @param seconds the other one, which is not the same
  /// @param workers threads that share the work; borrowed
  /// @return a score for each pair
  float[] scores(LinkHeuristic heuristic, int[] firsts, int[] seconds, Workers workers) {
    float[] scores = new float[firsts.length];
    List<Walks> each =
        Stream.generate(() -> new Walks(neighbours, heuristic)).limit(workers.threads()).toList();
    workers.run(
        Math.ceilDiv(scores.length, TASK_PAIRS),
        (task, worker) -> {
          Walks walks = each.get(worker);
          int begin = task * TASK_PAIRS;
          int end = Math.min(scores.length, begin + TASK_PAIRS);
          for (int p = begin; p < end; p++) {
            walks.from(firsts[p]);
            scores[p] = (float) walks.to(seconds[p]);
          }
        });
    return scores;
  }

  /// Walks of length one and two from a vertex.
  private static final class Walks {
    private static final double BETA = 0.05;

    private final CsrMatrix neighbours;
    private final LinkHeuristic heuristic;
    private int from = -1;

    /// Number of walks from the vertex to each, of length one; at most one.
    private final byte[] ones;

    /// The same of length two; of length 0 if no score needs them.
    private final int[] twos;

    Walks(CsrMatrix neighbours, LinkHeuristic heuristic) {
      this.neighbours = neighbours;
      this.heuristic = heuristic;
      int n = neighbours.cols();
      ones = new byte[n];
      twos = new int[heuristic == LinkHeuristic.KATZ ? n : 0];
    }

    static long bytes(int vertices) {
      return (long) vertices * (Byte.BYTES + Integer.BYTES);
    }

    void from(int vertex) {
      if (vertex == from) {
        return;
      }
      if (from >= 0) {
        count(-1);
      }
      from = vertex;
      count(1);
    }

    /// Adds or takes back the walks.
    private void count(int sign) {
      for (long e = neighbours.rowPointer(from); e < neighbours.rowPointer(from + 1L); e++) {
        int w = neighbours.column(e);
        if (w != from) {
          ones[w] += (byte) sign;
          if (twos.length > 0) {
            countTwos(w, sign);
          }
        }
      }
    }

    private void countTwos(int middle, int sign) {
      for (long e = neighbours.rowPointer(middle); e < neighbours.rowPointer(middle + 1L); e++) {
        int v = neighbours.column(e);
        twos[v] += v == middle ? 0 : sign;
      }
    }

    double to(int vertex) {
      double sum = 0;
      for (long e = neighbours.rowPointer(vertex); e < neighbours.rowPointer(vertex + 1L); e++) {
        int w = neighbours.column(e);
        if (w != vertex) {
          sum +=
              switch (heuristic) {
                case COMMON_NEIGHBOURS -> ones[w];
                case ADAMIC_ADAR -> ones[w] == 0 ? 0 : 1 / Math.log((double) degree(w));
                case KATZ -> BETA * BETA * BETA * twos[w];
              };
        }
      }
      return heuristic == LinkHeuristic.KATZ
          ? BETA * ones[vertex] + BETA * BETA * twos[vertex] + sum
          : sum;
    }

    private long degree(int vertex) {
      long all = neighbours.rowPointer(vertex + 1L) - neighbours.rowPointer(vertex);
      return neighbours.find(vertex, vertex) < 0 ? all : all - 1;
    }
  }
}
