package dev.gossamer.partition.initial;

import dev.gossamer.partition.level.GainHeap;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;

/// Passes of Fiduccia and Mattheyses (1982) over a bisection under several caps: makes the best
/// move of either side, each vertex at most once, and returns to the best state: the least
/// overload, then the least cut.
final class TwoWaySearch {
  private final LevelGraph graph;
  private final int[] side;
  private final PartLoads loads;
  private final GainHeap[] heaps;
  private final int[] moved;
  private final boolean[] done;

  TwoWaySearch(LevelGraph graph, int[] side, PartLoads loads) {
    this.graph = graph;
    this.side = side;
    this.loads = loads;
    loads.reset(graph, side);
    int n = graph.vertices();
    heaps = new GainHeap[] {new GainHeap(n), new GainHeap(n)};
    moved = new int[n];
    done = new boolean[n];
  }

  /// Returns the decrease of the cut if a vertex changes sides.
  static long gain(LevelGraph graph, int[] side, int v) {
    long gain = 0;
    for (long e = graph.start(v); e < graph.start(v + 1); e++) {
      int u = graph.neighbour(e);
      long w = graph.weight(e, v, u);
      gain += side[u] == side[v] ? -w : w;
    }
    return gain;
  }

  /// @return the cut
  long run(int passes) {
    boolean better = true;
    for (int i = 0; i < passes && better; i++) {
      better = pass();
    }
    long twice = 0;
    for (int v = 0; v < graph.vertices(); v++) {
      for (long e = graph.start(v); e < graph.start(v + 1); e++) {
        int u = graph.neighbour(e);
        twice += side[u] == side[v] ? 0 : graph.weight(e, v, u);
      }
    }
    return twice / 2;
  }

  private boolean pass() {
    int n = graph.vertices();
    heaps[0].clear();
    heaps[1].clear();
    for (int v = 0; v < n; v++) {
      done[v] = false;
      heaps[side[v]].put(v, gain(graph, side, v));
    }
    double startOverload = loads.overload();
    double bestOverload = startOverload;
    long sum = 0;
    long best = 0;
    int count = 0;
    int bestCount = 0;
    int patience = Math.max(60, n / 10);
    while (count - bestCount < patience) {
      int v = next();
      if (v < 0) {
        break;
      }
      sum += heaps[side[v]].gain(v);
      moved[count++] = v;
      flip(v);
      double overload = loads.overload();
      if (overload < bestOverload || (overload == bestOverload && sum > best)) {
        bestOverload = overload;
        best = sum;
        bestCount = count;
      }
    }
    for (int i = count - 1; i >= bestCount; i--) {
      loads.move(graph, moved[i], side[moved[i]], 1 - side[moved[i]]);
      side[moved[i]] ^= 1;
    }
    return bestCount > 0 && (best > 0 || bestOverload < startOverload);
  }

  /// The allowed move that gains most; -1 if there is none. What does not fit now is out for the
  /// pass.
  private int next() {
    while (true) {
      int from = sideToMove();
      if (from < 0) {
        return -1;
      }
      int v = heaps[from].top();
      heaps[from].remove(v);
      done[v] = true;
      if (loads.fits(graph, v, 1 - from) || loads.relief(graph, v, from, 1 - from) > 1e-12) {
        return v;
      }
    }
  }

  private int sideToMove() {
    if (heaps[0].isEmpty() || heaps[1].isEmpty()) {
      return heaps[0].isEmpty() ? heaps[1].isEmpty() ? -1 : 1 : 0;
    }
    double over0 = loads.overload(0);
    double over1 = loads.overload(1);
    if (over0 != over1) {
      return over0 > over1 ? 0 : 1;
    }
    if (heaps[0].topGain() != heaps[1].topGain()) {
      return heaps[0].topGain() > heaps[1].topGain() ? 0 : 1;
    }
    return loads.fullness(0) >= loads.fullness(1) ? 0 : 1;
  }

  private void flip(int v) {
    loads.move(graph, v, side[v], 1 - side[v]);
    side[v] ^= 1;
    for (long e = graph.start(v); e < graph.start(v + 1); e++) {
      int u = graph.neighbour(e);
      if (!done[u]) {
        GainHeap heap = heaps[side[u]];
        long change = 2L * graph.weight(e, v, u);
        heap.put(u, heap.gain(u) + (side[u] == side[v] ? -change : change));
      }
    }
  }
}
