package dev.gossamer.partition.initial;

import dev.gossamer.partition.level.LevelGraph;

/// The part of a graph on one side of a bisection.
///
/// @param graph to be closed
/// @param names ids of the vertices in the whole graph
record Subgraph(LevelGraph graph, Names names) {

  /// Wraps an array, borrowed.
  static final class Names {
    private final int[] array;

    private Names(int[] array) {
      this.array = array;
    }

    int[] array() {
      return array;
    }
  }

  static Subgraph of(LevelGraph whole, int[] side, int wanted, int[] names) {
    int n = 0;
    int[] ids = new int[side.length];
    for (int v = 0; v < side.length; v++) {
      ids[v] = side[v] == wanted ? n++ : -1;
    }
    int[] members = new int[n];
    int[] memberNames = new int[n];
    int[] sizes = new int[n];
    int[][] loads = new int[whole.constraints()][n];
    long[] starts = new long[n + 1];
    for (int v = 0; v < side.length; v++) {
      int i = ids[v];
      if (i < 0) {
        continue;
      }
      members[i] = v;
      memberNames[i] = names[v];
      sizes[i] = whole.size(v);
      for (int c = 0; c < loads.length; c++) {
        loads[c][i] = whole.load(c, v);
      }
      starts[i + 1] = starts[i];
      for (long e = whole.start(v); e < whole.start(v + 1); e++) {
        starts[i + 1] += ids[whole.neighbour(e)] >= 0 ? 1 : 0;
      }
    }
    LevelGraph graph = LevelGraph.allocate(starts, loads, sizes);
    for (int i = 0; i < n; i++) {
      int v = members[i];
      long to = starts[i];
      for (long e = whole.start(v); e < whole.start(v + 1); e++) {
        int u = whole.neighbour(e);
        if (ids[u] >= 0) {
          graph.set(to++, ids[u], whole.weight(e, v, u));
        }
      }
    }
    return new Subgraph(graph, new Names(memberNames));
  }
}
